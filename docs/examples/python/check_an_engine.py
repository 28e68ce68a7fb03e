"""Check whether an engine follows the protocol and the rules, and list the checks that it fails.

Run it in a checkout: ``python docs/examples/python/check_an_engine.py``.
"""

import sys
from pathlib import Path

import trio

from protocol.spec import EngineSpec
from referee.check import CheckReport, CheckStatus, EngineUnderTest, Patience, check_engine

ENGINE = Path(__file__).parents[3] / "engines" / "python-random" / "engine.py"


def main(*numbers: int) -> CheckReport:
    """Run the checks with these numbers and the checks that they need; run all checks by default."""
    spec = EngineSpec("random", (sys.executable, str(ENGINE)))
    subject = EngineUnderTest(spec, Patience(), game="quoridor")
    only = frozenset(numbers) if numbers else None
    report = trio.run(check_engine, subject, only, 2, lambda result: None)
    print(f"{report.engine}: {report.count(CheckStatus.PASSED)} checks passed")
    for result in report.results:
        if result.status is CheckStatus.FAILED:
            print(f"{result.number} {result.name}: {result.text}; advice: {result.advice}")
    return report


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
