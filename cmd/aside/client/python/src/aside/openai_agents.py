"""The OpenAI Agents SDK through ``aside serve``: its requests get what is due, its sessions stay as they are.

    use(aside.serve(project="."))

Tested against set_default_openai_client and AsyncOpenAI as their documentation has them, not against the SDK.
"""

from __future__ import annotations

from agents import set_default_openai_client
from openai import AsyncOpenAI

from . import Server

__all__ = ["use"]


def use(server: Server, run: str | None = None, **options) -> None:
    """Makes the client of all agents one that goes through the server. ``options`` are those of AsyncOpenAI."""
    headers = {**options.pop("default_headers", {}), **({"x-aside-run": run} if run else {})}
    set_default_openai_client(AsyncOpenAI(base_url=server.url + "/v1", default_headers=headers, **options))
