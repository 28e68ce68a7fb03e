"""The files that a public project has say what is true here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from PIL import Image

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r'(?:\]\(|src(?:set)?=")([^)"#]+)')
YAML = [
    *sorted((ROOT / ".github").rglob("*.yml")),
    *sorted((ROOT / "templates").rglob("*.yml")),
    ROOT / "CITATION.cff",
    ROOT / ".pre-commit-config.yaml",
]


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


@pytest.mark.parametrize("file", YAML, ids=lambda file: file.name)
def test_every_file_is_yaml(file: Path) -> None:
    assert isinstance(yaml.safe_load(file.read_text()), dict)


def test_every_version_of_python_that_the_package_names_is_tested() -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert read(".github/workflows/ci.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == named


def test_a_release_has_compiled_wheels_for_every_version_of_python_that_the_package_names() -> None:
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))
    assert PYPROJECT["tool"]["cibuildwheel"]["build"].split() == [f"cp3{minor}-*" for minor in named]


def test_workflows_call_targets_that_exist() -> None:
    called = re.findall(r"run: make ([\w-]+)", (ROOT / ".github/workflows/ci.yml").read_text())
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert called
    assert set(called) <= set(targets)


def test_the_first_commands_of_the_readme_are_those_that_ci_runs_first() -> None:
    block = README.split("```sh\n")[1].split("```")[0]
    named = re.findall(r"^make (\w+)", block, flags=re.MULTILINE)
    assert named == ["demo", "test"]
    assert re.findall(r"^step (\w+)$", (ROOT / ".ci/run").read_text(), flags=re.MULTILINE) == named


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    assert [author["name"] for author in citation["authors"]] == [one["name"] for one in PROJECT["authors"]]


def test_the_readme_is_short_and_a_tournament_moves_on_its_first_screen() -> None:
    lines = README.splitlines()
    assert len(lines) <= 120
    first = "\n".join(lines[:16])
    films = [name for name in LINK.findall(first) if name.endswith(".gif")]
    assert films == ["docs/images/live-dark.gif", "docs/images/live-light.gif"]
    for name in films:
        with Image.open(ROOT / name) as film:
            assert getattr(film, "n_frames", 1) > 20
        assert (ROOT / name).stat().st_size < 1_000_000


def test_badges_say_what_the_package_says() -> None:
    def badge(name: str) -> str:
        text = (ROOT / f"docs/images/badges/{name}.svg").read_text()
        (title,) = re.findall("<title>(.*)</title>", text)
        assert f'aria-label="{title}"' in text
        assert " ".join(re.findall("<text.*?>(.*)</text>", text)) == title.replace(":", "")
        return str(title)

    classifiers = "\n".join(PROJECT["classifiers"])
    assert badge("python") == f"python: {' | '.join(re.findall(r'Python :: (3.[0-9]+)', classifiers))}"
    assert badge("licence") == f"licence: {PROJECT['license']}"
    systems = {
        name.split(" :: ")[-1] for name in PROJECT["classifiers"] if name.startswith("Operating System")
    }
    assert set(badge("systems").removeprefix("systems: ").replace("mac", "Mac").split(" | ")) == systems


def test_a_release_has_the_address_of_the_repository_in_all_links_of_the_readme(tmp_path: Path) -> None:
    shutil.copy(ROOT / "README.md", tmp_path)
    environment = {"GITHUB_REPOSITORY": "some/where", "GITHUB_REF_NAME": "v1.0"}
    subprocess.run(
        [sys.executable, ROOT / ".github/addresses.py"], cwd=tmp_path, env=environment, check=True, timeout=60
    )
    released = LINK.findall((tmp_path / "README.md").read_text(encoding="utf-8"))
    assert len(released) == len(LINK.findall(README))
    for link in released:
        found = re.fullmatch(r"https://github\.com/some/where/(raw|blob)/v1\.0/(.+)", link)
        assert found is not None
        assert (ROOT / found[2]).is_file()
        assert (found[1] == "raw") == found[2].startswith("docs/images/")


def locked(file: str) -> dict[str, str]:
    """The versions of packages in a lock file."""
    lines = (ROOT / "requirements" / file).read_text().splitlines()
    pins = [Requirement(line.removesuffix("\\")) for line in lines if line[:1].isalnum()]
    return {pin.name: str(pin.specifier).removeprefix("==") for pin in pins}


def test_the_lock_files_have_all_that_is_needed_in_versions_that_fit() -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = {
        "run.txt": [*PROJECT["dependencies"], *extras["chess"], *extras["pictures"]],
        "dev.txt": [*PROJECT["dependencies"], *PYPROJECT["dependency-groups"]["dev"]],
    }
    for file, requirements in wanted.items():
        versions = locked(file)
        for requirement in map(Requirement, requirements):
            assert requirement.specifier.contains(versions[requirement.name]), f"{file}: run `make lock`"
    assert locked("run.txt").items() <= locked("dev.txt").items()


def test_a_group_for_development_has_the_packages_of_every_extra() -> None:
    extras = {Requirement(one).name for extra in PROJECT["optional-dependencies"].values() for one in extra}
    assert extras <= {Requirement(one).name for one in PYPROJECT["dependency-groups"]["dev"]}


@pytest.mark.parametrize("file", ["run.txt", "dev.txt"])
def test_a_lock_file_has_hashes_and_names_no_place_to_download_from(file: str) -> None:
    text = (ROOT / "requirements" / file).read_text()
    assert "://" not in text
    pins = re.split(r"^(?=\w)", text, flags=re.MULTILINE)[1:]
    assert [pin for pin in pins if "--hash=sha256:" not in pin] == []


def test_every_action_is_pinned_to_a_commit() -> None:
    used = [line for file in YAML for line in re.findall(r"uses: (.+)", file.read_text())]
    assert used
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", line)] == []
