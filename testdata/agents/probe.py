#!/usr/bin/env python3
"""What a coding agent did in a run with hooks, as JSON that a diff can be made of. probe.sh runs it.

usage: probe.py NAME VERSION PROGRAM-DIR KEEP-DIR DESCRIPTION...

{"agent", "version",
 "names":  event names that the program holds, in lists with at least three that the descriptions know,
 "events": for each event that a hook was told of: its members, with the types of their values,
 "places": where texts of ours stood in the requests, and what the agent wrote around them}

KEEP-DIR is that of ASIDE_AGENTS_KEEP: events.jsonl has what hooks were told and what they printed.
"""
import json
import mmap
import os
import re
import sys

COMMON = ("SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure "
          "PostToolBatch SubagentStart SubagentStop PreCompact PostCompact Stop").split()
TEXT = re.compile(r"Live \w+ of turn \d+\.")


def known_names(descriptions):
    names = set(COMMON)
    for path in descriptions:
        with open(path, encoding="utf-8") as f:
            d = json.load(f)
        names |= set(d.get("hooks", {}).get("names") or {})
        for file in d.get("config", {}).get("files") or []:
            for e in (file.get("json") or file.get("toml") or {}).get("events") or []:
                names.add(e if isinstance(e, str) else e["event"])
    return names


def program_names(root, known):
    """Names in lists of strings of which at least three are known, in all files of a program."""
    lists = re.compile(rb"""["'`][A-Za-z_]{3,40}["'`](?:\s*,\s*["'`][A-Za-z_]{3,40}["'`]){2,60}""")
    member = re.compile(rb"""[."']([A-Za-z_]{3,40})["'\]]{0,2} ?= ?["']\1["']""")  # of an enum: E["Stop"] = "Stop"
    joined = re.compile(rb"(?:%s)(?:[A-Z][a-z]+|%s){2,}" % ((b"|".join(sorted((n.encode() for n in known), key=len,
                                                                               reverse=True)),) * 2))
    found = set()
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.join(folder, name)
            if os.path.islink(path) or os.path.getsize(path) == 0 or name.endswith((".map", ".md", ".d.ts")):
                continue
            with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
                if not any(m.find(n.encode()) >= 0 for n in ("PreToolUse", "BeforeTool", "preToolUse", "tool_call")):
                    continue
                enums, end = [[]], 0
                for hit in member.finditer(m):
                    if hit.start() > end + 80:
                        enums.append([])
                    enums[-1].append(hit.group(1).decode())
                    end = hit.end()
                for some in enums + [re.findall("[A-Za-z_]+", h.group().decode()) for h in lists.finditer(m)]:
                    if len(known & set(some)) >= 3 and len(known & set(some)) * 2 >= len(set(some)):
                        found |= set(some)
                for hit in joined.finditer(m):  # of a program that holds them one behind the other
                    some = split(hit.group().decode(), known)
                    if len(known & set(some)) >= 3:
                        found |= known & set(some)
    return sorted(found)


def split(text, known):
    """The known names in a text, longest first."""
    some = []
    for n in sorted(known, key=len, reverse=True):
        if n in text:
            some.append(n)
            text = text.replace(n, " ")
    return some


def members(value, at=""):
    """The members of an event, with the types of their values. The input and the output of a tool are its own."""
    kinds = {str: "text", bool: "truth", int: "number", float: "number", type(None): "null"}
    if isinstance(value, dict):
        own = re.search(r"(?i)(input|args|arguments|response|result|output|parameters|args)$", at)
        return [at + " object"] if own and at else [m for k, v in value.items() for m in members(v, (at + "." if at else "") + k)]
    if isinstance(value, list):
        return sorted({m for v in value for m in members(v, at + "[]")}) or [at + "[]"]
    return [at + " " + kinds[type(value)]]


def told(keep):
    events = {}
    path = os.path.join(keep, "events.jsonl")
    args = ""
    for line in open(path, encoding="utf-8") if os.path.exists(path) else []:
        if line.startswith("# "):
            args = line
            continue
        if line.startswith("    "):
            continue
        try:
            e = json.loads(line)
        except ValueError:
            continue
        # PascalCase where an agent has both
        name = next((e[k] for k in ("hook_event_name", "hookEventName", "hookName", "event") if isinstance(e.get(k), str)),
                    (re.findall(r"--event[= ](\S+)", args) or ["?"])[0])
        events.setdefault(name, set()).update(members(e))
    return {k: sorted(v) for k, v in sorted(events.items())}


def places(keep):
    found = set()
    for folder, _, files in os.walk(keep):
        for line in open(os.path.join(folder, "requests.jsonl"), encoding="utf-8") if "requests.jsonl" in files else []:
            try:
                place(json.loads(json.loads(line)["body"]), "", found)
            except ValueError:
                pass
    return sorted(found)


def place(value, at, found):
    if isinstance(value, dict):
        kind = value.get("role") or value.get("type")
        for k, v in value.items():
            place(v, at + ("(%s)" % kind if isinstance(kind, str) else "") + "." + k, found)
    elif isinstance(value, list):
        for v in value:
            place(v, at + "[]", found)
    elif isinstance(value, str) and TEXT.search(value):
        # a prompt, or what a tool has printed, stands before a text of ours at times
        head, tail = TEXT.split(value, 1)[0][-120:], TEXT.split(value)[-1][:60]
        around = re.sub(r"\d+", "N", head[head.rfind("<"):] if "<" in head else head[-20:]) + "…" + re.sub(r"\d+", "N", tail)
        found.add(at.lstrip(".") + " " + around)


def main():
    name, version, program, keep, *descriptions = sys.argv[1:]
    out = {"agent": name, "version": version, "names": program_names(program, known_names(descriptions)),
           "events": told(keep), "places": places(keep)}
    json.dump(out, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
