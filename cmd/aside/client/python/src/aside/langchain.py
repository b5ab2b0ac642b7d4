"""Middleware for LangChain's create_agent, and the messages to send for nodes of LangGraph.

    create_agent(model, tools, middleware=[Reminders(aside, run="session-1")])
    model.invoke(with_reminders(aside, state["messages"], run="session-1"))

Of LangChain 1.1 or later. Tested against its messages and its middleware as their documentation has them, not
against LangChain.
"""

from __future__ import annotations

import asyncio
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import BaseMessage, HumanMessage

from . import Aside

__all__ = ["Reminders", "with_reminders"]

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}


class Reminders(AgentMiddleware):
    """Puts what is due into the messages that are sent; those of the state stay as they are.

    Without a name the run is found by the conversation.
    """

    def __init__(self, aside: Aside, run: str | None = None):
        super().__init__()
        self._aside, self._run = aside, run

    def wrap_model_call(self, request, handler):
        return handler(self._sent(request))

    async def awrap_model_call(self, request, handler):
        return await handler(await asyncio.to_thread(self._sent, request))

    def _sent(self, request):
        system = [request.system_message] if request.system_message else []
        messages = with_reminders(self._aside, [*system, *request.messages], run=self._run)
        changed: dict[str, Any] = {"system_message": messages.pop(0)} if system else {}
        return request.override(messages=messages, **changed)


def with_reminders(aside: Aside, messages: list[BaseMessage], run: str | None = None) -> list[BaseMessage]:
    """The messages to send in place of those of a graph's state, which stay as they are."""
    usage = next((m.usage_metadata for m in reversed(messages) if m.type == "ai"), None)
    facts = usage and {"context_tokens": usage["input_tokens"], "last_response_tokens": usage["output_tokens"]}
    generic = [{**_generic(m), "at": i} for i, m in enumerate(messages)]
    out: list[BaseMessage] = []
    for g in aside.request(run, {"messages": generic}, facts=facts or None)["request"]["messages"]:
        if "at" not in g:  # the beginning of a conversation without a system prompt
            content = g["content"]
            out.append(HumanMessage(content if isinstance(content, str) else "\n\n".join(b["text"] for b in content)))
        elif g["content"] == generic[g["at"]]["content"]:
            out.append(messages[g["at"]])
        else:
            out += _put(messages[g["at"]], g["content"])
    return out


def _parts(m: BaseMessage) -> list[Any]:
    return [{"type": "text", "text": m.content}] if isinstance(m.content, str) else m.content


def _generic(m: BaseMessage) -> dict[str, Any]:
    """A message in the generic shape. Blocks of the host carry their index in "at"."""
    blocks: list[dict[str, Any]] = []
    for part in _parts(m):
        if isinstance(part, str) or part.get("type") == "text":
            blocks.append({"type": "text", "text": part if isinstance(part, str) else part["text"]})
        else:  # the calls are those of tool_calls
            blocks.append({"type": f"other_{part.get('type')}"})
    for call in getattr(m, "tool_calls", None) or []:
        blocks.append({"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]})
    role = _ROLES.get(m.type, "user")
    answers = {"tool_call_id": m.tool_call_id, "is_error": m.status == "error"} if role == "tool" else {}
    return {"role": role, "content": [{**b, "at": i} for i, b in enumerate(blocks)], **answers}


def _put(m: BaseMessage, blocks: list[dict[str, Any]]) -> list[BaseMessage]:
    parts = _parts(m)
    own: list[Any] = []
    for b in blocks:
        if b.get("at", len(parts)) < len(parts):
            part = parts[b["at"]]
            own.append({**part, "text": b["text"]} if isinstance(part, dict) and part.get("type") == "text" else part)
    ours = [{"type": "text", "text": b["text"]} for b in blocks if "at" not in b]
    if m.type != "tool":
        return [_with_content(m, own + ours)]
    return [_with_content(m, own), *([HumanMessage(ours)] if ours else [])]


def _with_content(m: BaseMessage, content: list[Any]) -> BaseMessage:
    """A copy of a message. Content that was a string stays one."""
    one = isinstance(m.content, str) and len(content) == 1
    return m.model_copy(update={"content": content[0]["text"] if one else content})
