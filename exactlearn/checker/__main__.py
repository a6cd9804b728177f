"""python -m exactlearn.checker CERT [--model MODEL] [--seconds N] [--json]: exit status 0 to 3 (SPEC section 6)."""

import argparse
import contextlib
import json
import os
import sys

from . import Status, check_file


def main(arguments: list[str] | None = None) -> int:
    """Check one certificate; the answer goes to standard output, a refusal's one line to standard error."""
    parser = argparse.ArgumentParser("checker", description="Check a certificate; trusts none of its lines.")
    parser.add_argument("certificate", help="the certificate file")
    parser.add_argument("--model", help="your own model file, to which the claims are bound")
    parser.add_argument("--seconds", type=float, help="computing time allowed; by default by the size of the files")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args(arguments)
    _limit_memory([path for path in (options.certificate, options.model) if path])
    outcome = check_file(options.certificate, options.model, seconds=options.seconds)
    status = outcome.status.name.lower().replace("_", " ")
    try:
        if options.json:
            claims = [{"name": name, "words": words} for name, words in outcome.claims]
            answer = {"status": status, "exit": int(outcome.status), "reason": outcome.reason, "claims": claims}
            sys.stdout.write(json.dumps({**answer, "binding": outcome.binding}) + "\n")
        elif outcome.status is Status.ACCEPTED:
            lines = [f"accepted, {outcome.binding}", *(f"  {name}: {words}" for name, words in outcome.claims)]
            sys.stdout.writelines(f"{line}\n" for line in lines)
        else:
            sys.stderr.write(f"{status}: {outcome.reason}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads on; the flush at exit is kept quiet
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(outcome.status)

def _limit_memory(paths: list[str]) -> None:
    """256 MiB of address space and 8 times the files, where the system can be told so."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  # not on every system

        total, hard = 2**28 + 8 * sum(map(os.path.getsize, paths)), resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (total if hard == resource.RLIM_INFINITY else min(total, hard), hard))

if __name__ == "__main__":
    sys.exit(main())
