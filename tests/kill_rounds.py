#!/usr/bin/env python3
"""kill -9 of target, connection, worker or suite at random moments: nothing is lost or left behind.

    tests/kill_rounds.py build/harness/skcts/skcts --rounds 1000 --seed 1

A round runs a few rules on a served emulator with a seeded defect and kills one process of the two
sides. Afterwards it holds: the run has ended in time, each record of the journal is whole (but for a
torn last line), each rule was counted once and with no case too many, every saved finding is there,
no process is left; where a worker or a connection died, every finding of an undisturbed run is found
again; where the suite died, the target serves the next run as if nothing had been.
Exit code 1 and a line for each round that does not hold.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CASES = 6
FILTER = "--gtest_filter=Sync.SYNC_1:Core.*"
TARGET = "emulator:defect=feed-missing"
LONGEST_S = 120


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def left_over(mark):
    """Processes whose command line holds the mark."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read()
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if mark.encode() in words and state != "Z":
            found.append(int(name))
    return found


class Round:
    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.socket = folder + "/s"
        self.server = None
        self.problems = []

    def serve(self):
        self.server = subprocess.Popen(
            [self.binary, "serve", "--listen", "unix:" + self.socket, "--target", TARGET],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.server.stdout.readline()

    def run(self, out):
        return subprocess.Popen(
            [self.binary, "run", "--target", "unix:" + self.socket, "--cases", str(CASES), FILTER,
             "--out", out],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end_of(self, suite):
        try:
            return suite.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            self.problems.append("the run is stuck")
            suite.kill()
            return suite.wait()

    def records(self, out, may_be_torn):
        path = out + "/journal.jsonl"
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        records = []
        for number, line in enumerate(lines):
            if not line:
                continue
            try:
                records.append(json.loads(line))
            except ValueError:
                if not (may_be_torn and number == len(lines) - 1):
                    self.problems.append(f"line {number + 1} of the journal is torn")
        return records

    def check_records(self, records):
        rules = [r["rule"] for r in records if r["record"] == "rule"]
        if len(rules) != len(set(rules)):
            self.problems.append("a rule was counted twice")
        for record in records:
            if record["record"] == "rule" and record["generated"] > CASES:
                self.problems.append(f"{record['rule']}: {record['generated']} cases of {CASES}")
            if record["record"] == "finding" and not os.path.exists(record["path"]):
                self.problems.append(f"{record['path']} is gone")

    def stop(self):
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.problems.append("the server does not end")
            self.server.kill()
            self.server.wait()
        for _ in range(50):
            left = left_over(self.socket)
            if not left:
                return
            time.sleep(0.1)
        self.problems.append(f"left behind: {left}")
        for pid in left:
            kill(pid)


def keys_of(records):
    return {r["key"] for r in records if r["record"] == "finding"}


def victim_of(kind, server, suite):
    if kind == "target":
        return server.pid
    if kind == "suite":
        return suite.pid
    connections = children_of(server.pid)
    if kind == "connection" or not connections:
        return connections[0] if connections else None
    workers = children_of(connections[0])
    return workers[0] if workers else None


def one_round(binary, dice, baseline, seconds):
    """Gives what was killed ("nobody" where the run was faster) and what does not hold."""
    folder = tempfile.mkdtemp(prefix="skcts-kill-")
    here = Round(binary, folder)
    here.serve()
    kind = dice.choice(["target", "connection", "worker", "suite"])
    out = folder + "/out"
    suite = here.run(out)
    time.sleep(dice.uniform(0.0, seconds))
    victim = victim_of(kind, here.server, suite) if suite.poll() is None else None
    if victim is None or not kill(victim):
        kind = "nobody"
    code = here.end_of(suite)
    records = here.records(out, kind == "suite")
    here.check_records(records)
    if kind in ("connection", "worker", "nobody"):
        if code != 1:
            here.problems.append(f"exit code {code}")
        missing = baseline - keys_of(records)
        if missing:
            here.problems.append(f"findings are lost: {sorted(missing)}")
    if kind == "target" and code not in (1, 4):
        here.problems.append(f"exit code {code}")
    if kind == "suite":
        again = here.run(folder + "/again")
        if here.end_of(again) != 1:
            here.problems.append("the next run does not end as it must")
        if keys_of(here.records(folder + "/again", False)) != baseline:
            here.problems.append("the next run finds something else")
    here.stop()
    shutil.rmtree(folder)
    return kind, here.problems


def undisturbed(binary):
    folder = tempfile.mkdtemp(prefix="skcts-kill-")
    here = Round(binary, folder)
    here.serve()
    start = time.monotonic()
    here.end_of(here.run(folder + "/out"))
    seconds = time.monotonic() - start
    keys = keys_of(here.records(folder + "/out", False))
    here.stop()
    shutil.rmtree(folder)
    if not keys or here.problems:
        sys.exit(f"an undisturbed run finds nothing: {here.problems}")
    return keys, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no round after that")
    arguments = parser.parse_args()
    baseline, seconds = undisturbed(arguments.binary)
    counts, bad, start = {}, 0, time.monotonic()
    for number in range(arguments.rounds):
        if time.monotonic() - start > arguments.seconds:
            break
        dice = random.Random(arguments.seed * 1_000_003 + number)
        kind, problems = one_round(arguments.binary, dice, baseline, seconds)
        counts[kind] = counts.get(kind, 0) + 1
        if problems:
            bad += 1
            print(f"round {number} ({kind}): {'; '.join(problems)}", flush=True)
    total = sum(counts.values())
    killed = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
    print(f"{total} rounds, killed: {killed}; {bad} did not hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
