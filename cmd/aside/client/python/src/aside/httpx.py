"""httpx through ``aside serve``, and so every SDK that takes an httpx client: OpenAI's, Anthropic's, pydantic-ai, the
OpenAI Agents SDK.

    server = aside.serve(project=".")
    client = AsyncOpenAI(http_client=httpx.AsyncClient(transport=AsyncTransport(server, run="session-1")))
"""

from __future__ import annotations

import httpx

from . import Server

__all__ = ["AsyncTransport", "Transport"]


def _redirect(server: Server, run: str | None, request: httpx.Request) -> httpx.Request:
    url = server.through(str(request.url))
    if url != str(request.url):
        request.url = httpx.URL(url)
        request.headers["host"] = request.url.netloc.decode()
        if run:
            request.headers["x-aside-run"] = run
    return request


class Transport(httpx.BaseTransport):
    """Sends requests to the model APIs through the server, as those of a run, and others as they are."""

    def __init__(self, server: Server, run: str | None = None, base: httpx.BaseTransport | None = None):
        self._server, self._run, self._base = server, run, base or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._base.handle_request(_redirect(self._server, self._run, request))

    def close(self) -> None:
        self._base.close()


class AsyncTransport(httpx.AsyncBaseTransport):
    """Transport for httpx.AsyncClient."""

    def __init__(self, server: Server, run: str | None = None, base: httpx.AsyncBaseTransport | None = None):
        self._server, self._run, self._base = server, run, base or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._base.handle_async_request(_redirect(self._server, self._run, request))

    async def aclose(self) -> None:
        await self._base.aclose()
