"""From a model and a question to a report: what is asked, by which search, and what its finding says."""

from ouroboros.checking.answering import check, explore
from ouroboros.checking.question import ASSERTIONS, DEADLOCK, described_properties

__all__ = ["ASSERTIONS", "DEADLOCK", "check", "described_properties", "explore"]
