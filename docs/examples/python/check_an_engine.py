"""Check whether an engine follows the protocol and the rules, and list the checks that it fails.

Run ``python check_an_engine.py python3 mine.py``: the words after the name are the engine's command.
"""

import sys

import arena


def main(command: list[str], only: list[int] | None = None) -> arena.CheckReport:
    """Run the checks with these numbers and the checks that they need; run all checks by default."""
    report = arena.check_engine(command, game="quoridor", only=only)
    for result in report.results:
        if result.status == "failed":
            print(f"{result.number} {result.name}: {result.text}; advice: {result.advice}")
    print(f"{report.engine}: {'ready to play' if report.conforms else 'not ready yet'}")
    return report


if __name__ == "__main__":
    main(sys.argv[1:])
