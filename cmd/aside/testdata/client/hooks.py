"""The hooks of the client, called as the Claude Agent SDK for Python calls them. Of the SDK, which cannot be fetched
here, this file has HookMatcher, as its documentation has it."""

import asyncio
import json
import os
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "client/python/src"))
sys.dont_write_bytecode = True


@dataclass
class HookMatcher:
    matcher: str | None = None
    hooks: list = field(default_factory=list)


sys.modules["claude_agent_sdk"] = types.ModuleType("claude_agent_sdk")
sys.modules["claude_agent_sdk"].HookMatcher = HookMatcher
from aside.claude_agent import hooks


def call(all, name, **more):
    event = {"session_id": "s", "cwd": os.getcwd(), "transcript_path": "", "permission_mode": "default", "hook_event_name": name, **more}
    return asyncio.run(all[name][0].hooks[0](event, None, None))


asked = call(hooks(), "UserPromptSubmit", prompt="Why do the tests fail?")
none = call(hooks(command="no-such-program"), "Stop")
print(json.dumps([asked.get("hookSpecificOutput", {}).get("additionalContext"), none]))
