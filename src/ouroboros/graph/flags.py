"""The bits of a label and of a valuation that machine code sets beside its answer, as kernels compare them."""

from __future__ import annotations

import numpy as np

from ouroboros import native

FAILURE, ASSERTED, TRANSIENT, REDUCED, SPECIAL, FLAGS = (
    np.uint32(bits)
    for bits in (native.FAILURE, native.ASSERTED, native.TRANSIENT, native.REDUCED, native.SPECIAL, native.FLAGS)
)

EVALUATION_FAILED = np.uint64(native.EVALUATION_FAILED)
