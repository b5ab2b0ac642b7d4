"""Hooks for the Claude Agent SDK: ``ClaudeAgentOptions(hooks=hooks())``.

They do what ``aside install claude-code`` does for Claude Code: each event goes to ``aside hook``, whose answer holds
the texts that are due. The SDK keeps the texts in its session.

Tested against HookMatcher as the SDK's sources of 2026 have it, not against the SDK.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from claude_agent_sdk import HookMatcher

from . import program

__all__ = ["hooks"]

EVENTS = (
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "SubagentStart",
    "Stop",
    "SubagentStop",
)


def hooks(command: str | None = None, env: dict[str, str] | None = None) -> dict[str, list[HookMatcher]]:
    """All hooks of the SDK that can carry a text or tell a fact."""
    found = program(command)

    async def hook(event: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        try:
            child = await asyncio.create_subprocess_exec(
                found, "hook", "--agent", "claude-code", "--event", event["hook_event_name"], env=env,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
            out, _ = await child.communicate(json.dumps(event).encode())
            return json.loads(out or b"{}")
        except (OSError, ValueError):
            return {}  # an agent goes on without reminders

    return {event: [HookMatcher(hooks=[hook])] for event in EVENTS}
