"""Machine code for a System."""

from ouroboros.native.compile import Program, assembly_text, compile_system, llvm_text
from ouroboros.native.labels import ASSERTED, FAILURE, FLAGS, REDUCED, SPECIAL, TRANSIENT
from ouroboros.native.valuation import EVALUATION_FAILED, MOST_PROPOSITIONS

__all__ = [
    "ASSERTED",
    "EVALUATION_FAILED",
    "FAILURE",
    "FLAGS",
    "MOST_PROPOSITIONS",
    "REDUCED",
    "SPECIAL",
    "TRANSIENT",
    "Program",
    "assembly_text",
    "compile_system",
    "llvm_text",
]
