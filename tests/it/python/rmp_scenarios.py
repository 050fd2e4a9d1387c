#!/usr/bin/env python3
"""Runs scenarios of a second RMP client against a broker: `rmp_scenarios.py SOCKET SCENARIO [--operator-token FILE]`.

Exit status 0 if all assertions hold, 1 with what differs, 77 if a scenario lacks what it needs. `--list` names the scenarios.
"""

import argparse
import faulthandler
import sys
import time
import traceback

sys.dont_write_bytecode = True

from rmp_client import Differs, Fault  # noqa: E402
from scenarios import SCENARIOS, Skipped, World  # noqa: E402
from scenarios import drops, frames, json_dialect, load, mangled, rights, station, topics  # noqa: E402, F401

SKIPPED = 77
TOKENS = ("operator", "viewer", "cue")


def run(world, name):
    """The exit status of one scenario, and what there is to say."""
    try:
        SCENARIOS[name](world)
    except Skipped as reason:
        return SKIPPED, str(reason)
    except (Differs, Fault, OSError) as error:
        place = traceback.extract_tb(error.__traceback__)
        steps = " < ".join(f"{step.name}:{step.lineno}" for step in reversed(place[1:]))
        return 1, f"{error or type(error).__name__}\n  at {steps}"
    return 0, ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("socket", nargs="?")
    parser.add_argument("scenario", nargs="?", help="one of --list, or `all`")
    parser.add_argument("--list", action="store_true")
    for token in TOKENS:
        parser.add_argument(f"--{token}-token", metavar="FILE")
    args = parser.parse_args()
    if args.list:
        print("\n".join(SCENARIOS))
        return 0
    names = list(SCENARIOS) if args.scenario == "all" else [args.scenario]
    if args.socket is None or any(name not in SCENARIOS for name in names):
        parser.error("a socket and the name of a scenario")
    faulthandler.dump_traceback_later(300, exit=True)
    world = World(args.socket, {token: getattr(args, f"{token}_token") for token in TOKENS})
    worst = 0
    for name in names:
        begun = time.monotonic()
        status, text = run(world, name)
        verdict = {0: "ok", SKIPPED: "skipped"}.get(status, "DIFFERS")
        print(f"{verdict:8} {name} ({time.monotonic() - begun:.2f} s){': ' if text else ''}{text}", flush=True)
        if status != SKIPPED or len(names) == 1:
            worst = max(worst, status)
    return worst


if __name__ == "__main__":
    sys.exit(main())
