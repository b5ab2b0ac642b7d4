"""Goes through the steps of client/conformance, and prints what came of each. TestClientLife compares."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "client/python/src"))
sys.dont_write_bytecode = True
from aside import Aside, AsideError, serve  # noqa: E402

steps, dir, fake = sys.argv[1:]
scenarios = json.loads(Path(steps).read_text())
os.chdir(dir)
it, pids = None, []


def ids(d):
    return {"fired": [f["id"] for f in d["fired"]], "kept": d["kept"]}


def attempt(ask):
    try:
        return ask()
    except AsideError as e:
        return {"error": str(e)}


def alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False


def within(holds):
    for _ in range(500):
        if holds():
            break
        time.sleep(0.02)
    return holds()


def codes():
    return [d["code"] for d in it.diagnostics]


def seconds(ms):
    return None if ms is None else ms / 1000


def opened(step, of):
    global it
    options = dict(step["with"])
    if "timeout" in options:
        options["timeout"] /= 1000
    if options.get("command") == "fake":
        options["command"] = fake
    it = of(options)
    pids.append(it.pid)
    if isinstance(it, Aside):
        it.ready()
    return it.state


def decide(turn, timeout=None, run="r"):
    return ids(it.decide(run, turn, timeout=seconds(timeout)))


def remind(step):
    it.remind(step["run"], step["id"])
    return "ok"


def kill(step):
    os.kill(it.pid, signal.SIGKILL)
    within(lambda: it.state == "failed")
    return it.state


def beside(asks):
    """What each of some calls in threads of their own comes to; they begin in order."""
    got = [None] * len(asks)
    threads = [threading.Thread(target=lambda i=i: got.__setitem__(i, attempt(asks[i]))) for i in range(len(asks))]
    for t in threads:
        t.start()
        time.sleep(0.02)
    return got, threads


def together(step):
    got, threads = beside([lambda turn=turn: decide(turn) for turn in step["turns"]])
    for t in threads:
        t.join()
    return got


def closing(step):
    got, (thread,) = beside([lambda: decide(step["turn"])])
    time.sleep(0.05)
    it.close()
    thread.join()
    return got[0]


def faults(step):
    settled = late = 0
    seed = 1
    for _ in range(step["rounds"]):
        seed = seed * 48271 % 2147483647
        began = time.monotonic()
        attempt(lambda: decide({"key": step["kinds"][seed % len(step["kinds"])]}, step["timeout"]))
        settled += 1
        late += time.monotonic() - began > step["timeout"] / 1000 + 3
        if pids[-1] != it.pid:
            pids.append(it.pid)
    return {"settled": settled, "late": late}


def close(step):
    it.close()
    return "ok"


does = {
    "open": lambda step: opened(step, lambda o: Aside(**o, on_rules=lambda event: None)),
    "serve": lambda step: opened(step, lambda o: serve(**o)),
    "rules": lambda step: it.rules,
    "diagnostics": lambda step: codes(),
    "state": lambda step: it.state,
    "decide": lambda step: decide(step["turn"], step.get("timeout"), step["run"]),
    "remind": remind,
    "why": lambda step: it.why(step["run"], step.get("id"))["reminders"][0]["id"],
    "write": lambda step: Path(step["file"]).write_text(step["text"]) and None,
    "await": lambda step: within(lambda: it.rules == step["rules"] if "rules" in step else codes() == step["diagnostics"]),
    "kill": kill,
    "together": together,
    "closing": closing,
    "faults": faults,
    "close": close,
    "gone": lambda step: within(lambda: not any(alive(pid) for pid in pids if pid is not None)),
}

out = []
for scenario in scenarios:
    pids.clear()
    for step in scenario["steps"]:
        out.append({"scenario": scenario["scenario"], "step": step, "got": attempt(lambda: does[step["do"]](step))})
print(json.dumps(out))
