"""Machine code for a System."""

from ouroboros.native.choices import FAILURE
from ouroboros.native.compile import Program, compile_system
from ouroboros.native.valuation import EVALUATION_FAILED

__all__ = ["EVALUATION_FAILED", "FAILURE", "Program", "compile_system"]
