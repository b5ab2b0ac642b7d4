"""Says the same to aside over both ways, and prints what came back. TestClients plays play.mjs beside it."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "client/python/src"))
sys.dont_write_bytecode = True
from aside import Aside, AsideError

rules, url, *others = sys.argv[1:]

for options in ({"rules": rules, "state": "memory"}, {"url": url}):
    with Aside(**options) as aside:
        out = []

        def trial(ask):
            try:
                out.append(ask())
            except AsideError as e:
                out.append({"refused": re.sub("did you mean.*", "", "; ".join(e.errors))})

        def ids(d):
            return {"fired": [f["id"] for f in d["fired"]], "kept": d["kept"], "paused": d.get("paused", [])}

        run = "p/1"
        failed = {"call": {"tool": "Bash", "command": "go test", "failed": True}}
        trial(lambda: ids(aside.decide(run, {"facts": {"context_usage": 0.8}, "key": "a"})))
        trial(lambda: ids(aside.decide(run, {"facts": {"context_usage": 0.8}, "key": "a"})))
        trial(lambda: ids(aside.decide(run, {"events": [{"user_message": "ü"}, failed]})))
        trial(lambda: ids(aside.decide(run, {"before": {"tool": "Bash", "command": "git push --force"}})))
        trial(lambda: ids(aside.decide(run, {"facts": {"context_usge": 0.8}})))
        trial(lambda: aside.remind(run, "plan") or "queued")
        trial(lambda: aside.remind(run, "plam") or "queued")
        messages = [{"role": "user", "content": "Why?"}]

        def copy():
            answer = aside.request("p/2", {"messages": messages})
            put = "Answer briefly." in json.dumps(answer["request"])
            return [[f["id"] for f in answer["fired"]], put, len(messages)]

        trial(copy)
        trial(lambda: len(aside.request("p/2", {"messages": messages})["fired"]))
        trial(lambda: ids(aside.decide(run)))
        trial(lambda: [[r["id"], r["fired"], r["why"]] for r in aside.why(run, "plan")["reminders"]])
        trial(lambda: aside.why("none")["turn"])
        print(json.dumps(out))

out = []
for other in others:
    with Aside(url=other) as aside:
        trial(lambda: aside.decide(run))
print(json.dumps(out))
