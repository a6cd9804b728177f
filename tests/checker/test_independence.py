"""The checker stands alone: a copy runs on the standard library, hides no module of it, and has at most 900 lines."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import exactlearn.checker

FOLDER = Path(exactlearn.checker.__file__).parent
ACCEPT = Path(__file__).parent / "accept"
REJECT = Path(__file__).parent / "reject"
RUN = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('checker', run_name='__main__', alter_sys=True)"
)
LIST = (
    "import sys; sys.path.insert(0, sys.argv[1]); import checker.__main__; print(*sys.modules); "
    "print(checker.check_file(sys.argv[2]).status.name)"
)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Python without the environment, without site-packages."""
    command = [sys.executable, "-I", "-S", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603


@pytest.fixture
def copy(tmp_path: Path) -> str:
    """The folder of the checker alone, somewhere else."""
    shutil.copytree(FOLDER, tmp_path / "checker", ignore=shutil.ignore_patterns("__pycache__"))
    return str(tmp_path)


def test_a_copy_accepts_and_rejects(copy: str) -> None:
    """A copy of the folder alone does its work, with its exit statuses and its words."""
    accepted = python("-c", RUN, copy, str(ACCEPT / "log_rational_two_heads.json"), "--json")
    assert (accepted.returncode, accepted.stderr) == (0, "")
    answer = json.loads(accepted.stdout)
    assert (answer["status"], answer["exit"], len(answer["claims"])) == ("accepted", 0, 8)
    rejected = python("-c", RUN, copy, str(REJECT / "wrong_answer.json"))
    assert (rejected.returncode, rejected.stdout) == (1, "")
    assert rejected.stderr == "rejected: probes[0].values[1]: '28/5' stands here, which is not what is computed\n"


def test_only_the_standard_library_is_loaded(copy: str) -> None:
    """Everything in sys.modules after a check is the checker's or the standard library's."""
    done = python("-c", LIST, copy, str(ACCEPT / "true_e.json"))
    modules, status = done.stdout.splitlines()
    assert status == "ACCEPTED"
    roots = {name.partition(".")[0] for name in modules.split()}
    assert roots - set(sys.stdlib_module_names) - {"__main__"} == {"checker"}


def test_imports_are_relative_or_of_the_standard_library() -> None:
    """No import statement names anything else, anywhere in the source."""
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [str(node.module)]
            else:
                continue
            assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names), path


def test_no_module_hides_one_of_the_standard_library() -> None:
    """No file is named like a module of the standard library."""
    names = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "__main__"}
    assert names
    assert not names & set(sys.stdlib_module_names)


def test_it_can_be_read_in_one_sitting() -> None:
    """At most 900 lines in all, none of them long, and no limit of Python's is lifted."""
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py")]
    lines = [line for text in texts for line in text.splitlines()]
    assert 100 < len(lines) <= 900
    assert max(map(len, lines)) <= 120
    assert not any("set_int_max_str_digits" in text for text in texts)


def test_the_package_stays_light_beside_it() -> None:
    """Run as a part of the package, the checker loads no FLINT, no sympy, no numpy."""
    heavy = "{'flint', 'sympy', 'numpy', 'gmpy2'}"
    code = f"import sys, exactlearn.checker.__main__; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "[]\n"
