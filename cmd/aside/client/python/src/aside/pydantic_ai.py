"""pydantic-ai through ``aside serve``: its requests get what is due, its message history stays as it is.

A history processor would not do: what it returns becomes the history.

    agent = Agent(openai("gpt-5.6", aside.serve(project="."), run="session-1"))

Tested against its providers and models as its sources have them, with httpx itself, not against pydantic-ai.
"""

from __future__ import annotations

import httpx
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from . import Server
from .httpx import AsyncTransport

__all__ = ["anthropic", "openai"]


def openai(name: str, server: Server, run: str | None = None, **provider) -> OpenAIChatModel:
    """A model of OpenAI's whose requests go through the server. ``provider`` are options of OpenAIProvider."""
    return OpenAIChatModel(name, provider=OpenAIProvider(http_client=_client(server, run), **provider))


def anthropic(name: str, server: Server, run: str | None = None, **provider) -> AnthropicModel:
    """A model of Anthropic's whose requests go through the server. ``provider`` are options of AnthropicProvider."""
    return AnthropicModel(name, provider=AnthropicProvider(http_client=_client(server, run), **provider))


def _client(server: Server, run: str | None) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AsyncTransport(server, run), timeout=600)
