"""`--certificate`: what is told when there is one, and when there is none."""

from __future__ import annotations

import sys

from ouroboros.errors import OuroborosError
from ouroboros.verdict.report import Report, Verdict


class NoCertificate(OuroborosError):
    """All holds, but the certificate that was asked for is not there."""

    exit_code = 3
    after_report = True


def confirm_certified(report: Report) -> None:
    """Say where the certificate is, if one was asked for; raises NoCertificate where there should be one."""
    certified = report.certificate
    if certified is None:
        return
    if certified.lacking is None:
        print(f"certificate written to {certified.path}", file=sys.stderr)
    elif report.verdict is Verdict.HOLDS:
        raise NoCertificate(f"--certificate: all holds, but there is no certificate: {certified.lacking}")
