"""Hostile and damaged certificates through the checker's command line, each in a process of its own.

    python benchmarks/hostile_files.py [--files 2000] [--seed 0]

For every file the exit status has to be 0 to 3, the time at most 20 seconds, the peak memory at most 256 MiB and 8
times the file, the answer one line without a traceback.  Prints the worst of each and how often each status was met.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from exactlearn.certificate.writer import certificate_to_text, learn_certificate
from exactlearn.counterexamples import counterexample
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import oracle_of

MOST_SECONDS, BASE_MEMORY, MEMORY_PER_BYTE = 20.0, 2**28, 8


def bases() -> list[str]:
    """A small certificate of each kind."""
    log = MultiHeadAttention([([[2, 1], [1, 3]], [1, 2]), ([[1, 2], [3, 1]], [1, -1])], weights="log-rational")
    true_e = MultiHeadAttention([([[1, 0], [Fraction(-1, 2), 3]], [1, 1]), ([[0, 2], [2, -1]], [-1, 2])])
    results = [learn(oracle_of(model), heads=2, box=4) for model in (log, true_e)]
    pairs = zip((log, true_e), results, strict=True)
    return [certificate_to_text(learn_certificate(model, result)) for model, result in pairs]


def damaged(text: str, chance: random.Random) -> bytes:
    """Bytes changed, left out, doubled or put in, in one to three places."""
    content = bytearray(text.encode())
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(content))
        length = chance.choice([1, 1, 2, 8, 64, 512])
        piece = content[start : start + length]
        replacements = [b"", bytes(piece) * 2, chance.randbytes(length), b"\xff", b"\x00", b"[" * length, b"9" * length]
        replacements += [b'"', b"}", b"\\u0031", "\u0661".encode(), b"1e9", b"NaN", b"-", b"/0", bytes(piece)[::-1]]
        content[start : start + length] = chance.choice(replacements)
    return bytes(content) or b"\n"


def hostile(log_text: str, true_e_text: str) -> dict[str, bytes]:
    """Files made to hurt, by the name of the attack."""
    texts = {
        "empty": "",
        "null": "null",
        "nesting lists": "[" * 200_000,
        "nesting lists, closed": "[" * 50_000 + "]" * 50_000,
        "nesting objects": '{"format":' * 100_000,
        "a megabyte integer": '{"format": ' + "9" * 2**20 + "}",
        "a megabyte of digits in a string": _with(log_text, ("first_value",), "7" * 2**20),
        "a megabyte of hexadecimal": _with(log_text, ("first_value",), "0x" + "f" * 2**20),
        "exponent 10^9": _with(log_text, ("draw", "X", 0, 0), str(10**9)),
        "exponent 10^900": _with(log_text, ("draw", "X", 0, 0), str(10**900)),
        "exponent in both": _with(log_text, ("draw", "Y", 0), [str(10**6), str(10**6)]),
        "unit 10^900": _with(_with(log_text, ("model", "unit"), str(10**900)), ("draw", "unit"), str(10**900)),
        "bound 10^17": _with(log_text, ("draw", "heads"), 10**17),
        "dimension 10^17": _with(log_text, ("model", "dim"), 10**17),
        "dimension 4096": _with(true_e_text, ("model", "dim"), 4096),
        "a hundred thousand probes": _repeated(log_text, "probes", 100_000),
        "a hundred thousand heads": _repeated(true_e_text, "heads", 100_000),
        "twenty thousand raw heads": _heads(true_e_text, 20_000),
        "long weights": _with(log_text, ("model", "heads", 0, "W", 0, 0), "0x" + "f" * 250_000),
        "long weights, true e": _with(true_e_text, ("model", "heads", 0, "W", 0, 0), f"0x1/0x{'f' * 250_000}"),
        "NaN": '{"format": NaN}',
        "Infinity": '{"format": -Infinity}',
        "float": _with(log_text, ("model", "dim"), 2.0),
        "duplicate keys": '{"format": "exactlearn.certificate/1", "format": "exactlearn.certificate/1"}',
        "many keys": "{" + ", ".join(f'"{n}": 0' for n in range(200_000)) + "}",
        "many small lists": "[" + ",".join(["[]"] * 3_000_000) + "]",
        "many small objects": '{"format": "exactlearn.certificate/1", "claims": [' + "{}," * 2_000_000 + "{}]}",
        "byte order mark": "\ufeff" + log_text,
        "lone surrogate": '{"format": "\\ud800"}',
        "not JSON": "certificate",
        "blanks": " " * 5_000_000,
    }
    texts |= _hostile_counterexamples()
    return {name: text.encode() for name, text in texts.items()} | {"not UTF-8": b"\xff\xfe{}", "nulls": b"\0" * 1000}


def _hostile_counterexamples() -> dict[str, str]:
    """The same for a certificate of a counterexample: models, sequences and tokens in bulk or out of bounds."""
    text = certificate_to_text(counterexample("too-few-copies").certificate())
    body = json.loads(text)["counterexample"]
    model, line = body["models"][0], body["sequences"][0]
    others = [{**model, "heads": [{"W": [["1", "2"], ["3", str(n)]], "v": ["1", "1"]}]} for n in range(1, 5_001)]
    many = [{"tokens": [["1", str(n)], ["0", "1"]], "values": line["values"]} for n in range(100_000)]
    changes: dict[str, tuple[tuple[str | int, ...], Any]] = {
        "token 10^9": (("sequences", 0, "tokens", 0, 0), str(10**9)),
        "token 10^1200": (("sequences", 0, "tokens", 0, 0), hex(10**1200)),
        "a hundred thousand sequences": (("sequences",), many),
        "one sequence a hundred thousand times": (("sequences",), [line] * 100_000),
        "a hundred thousand tokens": (("sequences", 0, "tokens"), [["1", "1"]] * 100_000 + [["0", "1"]]),
        "tokens whose powers add up": (
            ("sequences", 0, "tokens"),
            [[str(-(10**5) - n), str(10**5)] for n in range(500, 0, -1)] + [[str(10**5), "7"]],
        ),
        "five thousand models": (("models",), others),
        "one model a hundred thousand times": (("models",), [model] * 100_000),
        "unit 10^900 on models": (("models", 1, "unit"), str(10**900)),
        "units apart": (("models", 0, "unit"), "1000000007/1000000009"),
        "long values": (("sequences", 0, "values", 0), "0x" + "f" * 250_000),
    }
    return {f"counterexample: {name}": _with(text, ("counterexample", *path), v) for name, (path, v) in changes.items()}


def files(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """The hostile files and then damaged ones, `count` in all."""
    texts, chance = bases(), random.Random(seed)
    made = list(hostile(*texts).items())[:count]
    yield from made
    for n in range(count - len(made)):
        yield f"damage {n}", damaged(texts[n % 2], chance)


@dataclass(frozen=True)
class Trial:
    """What one process did."""

    status: int
    seconds: float
    memory: int
    output: str


LAUNCHER = """
import os, sys
process = os.posix_spawn(sys.executable, sys.argv[2:], os.environ)
_, status, usage = os.wait4(process, 0)
open(sys.argv[1], "w").write(f"{status} {usage.ru_maxrss}")
"""
"""A small process between us and the checker: the system counts the memory of whoever starts a process as its own."""


def trial(content: bytes, folder: Path) -> Trial:
    """Check one file in a process of its own."""
    path, messages, measured = folder / "certificate.json", folder / "messages", folder / "measured"
    path.write_bytes(content)
    checker = [sys.executable, "-m", "exactlearn.checker", str(path)]
    started = time.perf_counter()
    with messages.open("wb") as sink:
        launcher = [sys.executable, "-S", "-c", LAUNCHER, str(measured), *checker]
        subprocess.run(launcher, stdout=sink, stderr=sink, check=True)  # noqa: S603  # our own checker
    seconds = time.perf_counter() - started
    status, kibibytes = map(int, measured.read_text().split())
    output = messages.read_text(errors="replace")
    return Trial(os.waitstatus_to_exitcode(status), seconds, kibibytes * 1024, output)


def faults(name: str, content: bytes, found: Trial) -> list[str]:
    """What is wrong with how a file was answered."""
    limit = BASE_MEMORY + MEMORY_PER_BYTE * len(content)
    complaints = {
        f"exit status {found.status}": found.status not in (0, 1, 2, 3),
        f"{found.seconds:.1f} seconds": found.seconds > MOST_SECONDS,
        f"{found.memory} bytes of memory for {len(content)}": found.memory > limit,
        f"it says {found.output[:200]!r}": found.status != 0 and found.output.count("\n") != 1,
        "a traceback": "Traceback" in found.output,
        "accepted": found.status == 0 and not _is_harmless(content),
    }
    return [f"{name}: {complaint}" for complaint, is_so in complaints.items() if is_so]


def _is_harmless(content: bytes) -> bool:
    """Whether the damage was to blanks alone, or none."""
    return json.dumps(json.loads(content)) in (json.dumps(json.loads(text)) for text in bases())


def main() -> int:
    """Try all files and print the worst."""
    parser = argparse.ArgumentParser(description="Hostile files for the checker.")
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    statuses, complaints, slowest, largest = Counter[int](), list[str](), (0.0, ""), (0, "")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files(options.files, options.seed):
            found = trial(content, Path(folder))
            statuses[found.status] += 1
            complaints += faults(name, content, found)
            slowest, largest = max(slowest, (found.seconds, name)), max(largest, (found.memory, name))
            if not name.startswith("damage"):
                cost = f"{found.seconds:6.2f} s  {found.memory >> 20:5} MiB"
                print(f"  {name:36} {found.status}  {cost}  {found.output[:90]!r}")
    print(f"{options.files} files, seed {options.seed}: exit statuses {dict(sorted(statuses.items()))}")
    print(f"slowest {slowest[0]:.2f} s ({slowest[1]}), largest {largest[0] >> 20} MiB ({largest[1]})")
    print("\n".join(complaints) or "nothing to complain of")
    return 1 if complaints else 0


def _with(text: str, path: tuple[str | int, ...], value: Any) -> str:
    document = json.loads(text)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(document)


def _repeated(text: str, key: str, times: int) -> str:
    document = json.loads(text)
    document[key] = document[key][:1] * times
    return json.dumps(document)


def _heads(text: str, times: int) -> str:
    """So many different raw heads: the list of probes is right, all else is to be computed."""
    document = json.loads(text)
    document["model"]["heads"] = [{"W": [["1", "0"], ["0", str(n)]], "v": ["1", "1"]} for n in range(times)]
    document["draw"]["heads"] = times
    return json.dumps(document)


if __name__ == "__main__":
    sys.exit(main())
