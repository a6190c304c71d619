"""Machine code for a System."""

from ouroboros.native.choices import ASSERTED, FAILURE, FLAGS, TRANSIENT
from ouroboros.native.compile import Program, compile_system
from ouroboros.native.valuation import EVALUATION_FAILED

__all__ = ["ASSERTED", "EVALUATION_FAILED", "FAILURE", "FLAGS", "TRANSIENT", "Program", "compile_system"]
