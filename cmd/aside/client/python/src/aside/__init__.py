"""A client of aside: over ``aside eval`` as a child process, or over the evaluation API of ``asided serve``.

    with Aside(project=".") as aside:
        for fired in aside.decide("session-1", {"facts": {"context_usage": 0.8}})["fired"]:
            print(fired["text"])

The methods may be called from several threads; an answer takes a millisecond or so.
"""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

__all__ = ["API", "Aside", "AsideError", "AsyncAside", "Call", "Decision", "Facts", "Fired", "Server", "Turn", "Why", "program", "protocol", "serve"]

protocol = 1

API = Literal["anthropic", "openai-chat", "openai-responses", "gemini", "converse", "messages"]


# A call of a tool. What is left out is not known, but for failed.
Call = TypedDict(
    "Call",
    {
        "tool": str,
        "class": str,
        "command": str,
        "path": "str | list[str]",
        "subject": str,
        "written": "str | list[str]",
        "input": "dict[str, object] | None",
        "output": str,
        "failed": "bool | None | Literal['unknown']",
        "duration": "str | None",
    },
    total=False,
)


class Facts(TypedDict, total=False):
    """What is known of a turn; what is left out, or "unknown", is unknown. Texts may have units: "75%", "20k"."""

    context_usage: float | str
    context_tokens: int | str
    context_window: int | str
    last_response_tokens: int | str
    output_tokens: int | str
    cost: float | str
    message_count: int | str
    turn_count: int | str
    user_turn_count: int | str
    started: bool | Literal["unknown"]
    user_message: bool | Literal["unknown"]
    tool_used: str | list[str]
    command: str | list[str]
    path: str | list[str]
    written: str | list[str]
    output: str | list[str]
    last_tool_call_failed: bool | Literal["unknown"]
    tool_calls: int | str
    identical_calls: int | str
    failures_in_row: int | str
    compacted: bool | Literal["unknown"]
    resumed: bool | Literal["unknown"]
    prompt: str
    response: str
    thread_type: str
    mode: str
    model: str
    provider: str
    cwd: str
    branch: str
    hour: int | str
    weekday: str
    elapsed: str
    idle: str
    calls: list[Call] | Literal["unknown"]
    tools: list[str] | Literal["unknown"]
    failed: list[str] | Literal["unknown"]
    vars: dict[str, Any]


class Turn(TypedDict, total=False):
    """A turn: a model call, or a moment beside it. ``aside help facts`` lists the facts."""

    facts: Facts
    events: Sequence[Mapping[str, Any]]
    key: str
    remind: str | Sequence[str]
    at: str
    more: bool
    before: Call
    stopping: bool
    prepare: bool
    commit: str
    agent: str
    request: Mapping[str, Any]
    api: API


class _Fired(TypedDict):
    id: str
    text: str
    priority: int
    tier: Literal["guidance", "correctness", "safety"]
    attach: Literal["tail", "user_turn", "run_start"]
    keep: str
    manual: bool


class Fired(_Fired, total=False):
    """A text that is to be put before the model; with held_out it must not be sent."""

    held_out: bool


class _Decision(TypedDict):
    fired: list[Fired]
    kept: list[str]
    errors: list[str]


class Decision(_Decision, total=False):
    """What is due. ``request`` is the copy to send, where the turn has one."""

    paused: list[str]
    outcomes: list[dict[str, Any]]
    rules: str
    prepared: str
    request: dict[str, Any]
    beta: str


class Why(TypedDict):
    """A run's last turn, explained."""

    run: str
    turn: int
    at: str
    reminders: list[dict[str, Any]]


class AsideError(Exception):
    """What aside refused, or why it did not answer."""

    def __init__(self, errors: Sequence[str]):
        super().__init__("; ".join(errors))
        self.errors = list(errors)


def program(command: str | None = None) -> str:
    """The program: ``command``, else ``$ASIDE_COMMAND``, else that of the package aside-cli, else ``aside``."""
    return command or os.environ.get("ASIDE_COMMAND") or _packaged() or "aside"


def _arguments(command: str | None, name: str, rules, project, state, vars) -> list[str]:
    args = [program(command), name]
    for path in [rules] if isinstance(rules, (str, os.PathLike)) else rules:
        args += ["--rules", os.fspath(path)]
    if project is not None:
        args += ["--project", os.fspath(project)]
    if state is not None:
        args += ["--state", os.fspath(state)]
    for var in vars:
        args += ["--var", var]
    return args


def _packaged() -> str | None:
    """The program that the package aside-cli carries."""
    try:
        from aside_cli import command

        return command()
    except (ImportError, OSError):
        return None


def _written(d: Mapping[str, Any]) -> str:
    """A diagnostic in a line."""
    hint = f" ({d['hint']})" if d.get("hint") else ""
    return f"{d['file']}:{d['line']}:{d['column']}: {d['severity']}[{d['code']}]: {d['message']}{hint}"


class _Child:
    """A child process with a life: starting, ready, failed for a reason, or closed.

    Whatever becomes of the process, all who wait are told. What it writes are lines of JSON; one with ``event``
    answers nothing.
    """

    def __init__(self, args: list[str], env: Mapping[str, str] | None, on_event=lambda child, event: None):
        self.state, self.reason = "starting", None
        self._args, self._on_event = args, on_event
        self._lock = threading.RLock()
        self._waiting: collections.deque[concurrent.futures.Future] = collections.deque()
        self._said = tempfile.TemporaryFile()
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(args, stdin=pipe, stdout=pipe, stderr=self._said, env=env)
        except OSError as e:
            self._said.close()
            raise AsideError([f"{args[0]} cannot be started: {e.strerror}"]) from e
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        name = f"{self._args[0]} {self._args[1]}"
        for line in self.process.stdout:
            try:
                told = json.loads(line)
            except ValueError:
                self.fail(f"{name} says what is no JSON: {line[:200].decode(errors='replace').strip()}")
                self.process.wait()
                return
            if isinstance(told, dict) and told.get("event"):
                self._on_event(self, told)
                continue
            with self._lock:
                waiting = self._waiting.popleft() if self._waiting else None
            if waiting is not None and waiting.set_running_or_notify_cancel():
                waiting.set_result(told)
        code = self.process.wait()
        with self._lock:
            if self._said.closed:
                return
            self._said.seek(0)
            said = self._said.read()[-4000:].decode(errors="replace").strip()
        self.fail(f"{name} has ended ({code}): {said}")

    def fail(self, reason: str, errors: Sequence[str] | None = None) -> None:
        """Ends its life, and tells all who wait."""
        with self._lock:
            if self.state in ("failed", "closed"):
                return
            self.state, self.reason = "failed", AsideError(errors or [reason])
            self.process.kill()
            self._tell(self.reason)

    def _tell(self, reason: AsideError) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if waiting.set_running_or_notify_cancel():
                waiting.set_exception(AsideError(reason.errors))

    def ask(self, line: Mapping[str, Any]) -> concurrent.futures.Future:
        """Writes a line; the future has its answer. One that comes too late is read over."""
        text = json.dumps(line).encode() + b"\n"
        future: concurrent.futures.Future = concurrent.futures.Future()
        with self._lock:
            if self.state == "failed":
                raise AsideError(self.reason.errors)
            if self.state == "closed":
                raise AsideError(["the client is closed"])
            self._waiting.append(future)
            try:
                self.process.stdin.write(text)
                self.process.stdin.flush()
            except (OSError, ValueError):
                pass  # its end tells all who wait
        return future

    def close(self, grace: float = 5) -> None:
        """Ends with the end of its stdin, or by force when it does not."""
        with self._lock:
            if self.state != "failed":
                self.state = "closed"
            self._tell(AsideError(["the client is closed"]))
            try:
                self.process.stdin.close()
            except OSError:
                pass
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(grace)
        with self._lock:
            self.process.stdout.close()
            self._said.close()


class _Lines:
    """The co-process ``aside eval``."""

    def __init__(self, args: list[str], env, timeout: float | None, lenient: bool, restart: bool, on_rules):
        self._args, self._env, self.timeout = [*args, "--events"], env, timeout
        self._lenient, self._restart, self._on_rules = lenient, restart, on_rules
        self.rules: list[str] = []
        self.diagnostics: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._opened = threading.Event()
        self._child = _Child(self._args, self._env, self._told)

    def _told(self, child: _Child, event: dict[str, Any]) -> None:
        """Takes in what the co-process says of its rules."""
        if event["event"] == "rules":
            self.rules, self.diagnostics = event.get("rules", []), event.get("diagnostics", [])
        errors = [_written(d) for d in self.diagnostics if d["severity"] == "error"]
        began = child.state == "starting"
        if began and errors and not self._lenient:
            child.fail("the rules have errors", errors)
        elif began:
            child.state = "ready"
        self._opened.set()
        if child.state != "ready":
            return
        if self._on_rules is not None:
            self._on_rules(event)
        else:
            for d in event.get("diagnostics", []):
                print("aside:", _written(d), file=sys.stderr)

    @property
    def state(self) -> str:
        return "closed" if self._closed else self._child.state

    @property
    def pid(self) -> int:
        return self._child.process.pid

    def ready(self) -> None:
        with self._lock:
            if self._closed:
                raise AsideError(["the client is closed"])
            if self._restart and self._child.state == "failed":
                self._child.close()
                self._start()
        late = None if self.timeout is None else time.monotonic() + self.timeout
        while not self._opened.wait(0.02):
            if self._child.state != "starting":
                break
            if late is not None and time.monotonic() > late:
                self._child.fail(f"{self._args[0]} eval is not ready within {self.timeout} s")
        if self._child.state == "failed":
            raise AsideError(self._child.reason.errors)

    def future(self, run: str | None, line: Mapping[str, Any]) -> concurrent.futures.Future:
        self.ready()
        return self._child.ask({"protocol": protocol, **({} if run is None else {"run": run}), **line})

    def ask(self, run: str | None, line: Mapping[str, Any], timeout: float | None = None) -> dict[str, Any]:
        patience = self.timeout if timeout is None else timeout
        future = self.future(run, line)
        try:
            return future.result(patience)
        except concurrent.futures.TimeoutError:
            future.cancel()
            late = AsideError([f"no answer within {patience} s"])
            if self._restart:
                self._child.fail(str(late))  # the next call starts another
            raise late from None

    def decide(self, run, turn, timeout=None):
        return self.ask(run, turn, timeout)

    def remind(self, run, id, timeout=None):
        return self.ask(run, {"queue": [id]}, timeout)

    def why(self, run, id, timeout=None):
        return self.ask(run, {"why": id or True}, timeout)

    def close(self) -> None:
        self._closed = True
        self._child.close()


class _Service:
    """The evaluation API of a server."""

    state, pid = "ready", None

    def __init__(self, url: str, token: str | None, timeout: float | None):
        self._url, self.timeout = url.rstrip("/"), timeout
        self.rules: list[str] = []
        self.diagnostics: list[dict[str, Any]] = []
        self._headers = {"content-type": "application/json", **({"x-aside-token": token} if token else {})}

    def ready(self) -> None:
        pass

    def ask(self, run: str | None, path: str, method: str, body: Any = None, timeout: float | None = None) -> Any:
        if self.state == "closed":
            raise AsideError(["the client is closed"])
        patience = self.timeout if timeout is None else timeout
        if run in (None, "", ".", ".."):
            raise AsideError(["run: the evaluation API takes runs with a name, and not . or .."])
        url = f"{self._url}/v1/runs/{urllib.parse.quote(run, safe='')}{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method, headers=self._headers)
        try:
            with urllib.request.urlopen(request, timeout=patience) as response:
                return json.load(response)
        except urllib.error.HTTPError as e:
            try:
                problem = json.load(e)
            except ValueError:  # of something that stands before the server
                raise AsideError([f"{self._url} does not answer as asided serve does: {e}"]) from e
            raise AsideError(problem.get("errors") or [problem.get("detail", str(e))]) from e
        except TimeoutError as e:
            raise AsideError([f"no answer within {patience} s"]) from e
        except (OSError, ValueError) as e:
            if isinstance(getattr(e, "reason", None), TimeoutError):
                raise AsideError([f"no answer within {patience} s"]) from e
            raise AsideError([f"{self._url} does not answer as asided serve does: {e}"]) from e

    def decide(self, run, turn, timeout=None):
        return self.ask(run, "/turns", "POST", {"protocol": protocol, **turn}, timeout)

    def remind(self, run, id, timeout=None):
        self.ask(run, "/remind/" + urllib.parse.quote(id, safe=""), "POST", None, timeout)
        return {"errors": []}

    def why(self, run, id, timeout=None):
        query = "?" + urllib.parse.urlencode({"id": id}) if id else ""
        return {"errors": [], "why": self.ask(run, "/why" + query, "GET", None, timeout)}

    def close(self) -> None:
        self.state = "closed"


class Aside:
    """A client over a child process ``aside eval``, or, with ``url``, over the evaluation API of ``asided serve``.

    ``program(command)`` is run. ``rules`` are files, directories or globs in place of those of the home directory,
    ``vars`` facts of your own (``NAME:TYPE[:KIND]``). Nothing waits longer than ``timeout``, in seconds; None is for
    ever. A rule with an error makes the first call fail, unless ``lenient``; what is wrong later goes to ``on_rules``,
    with each change of the rules, or else to stderr. With ``restart``, a co-process that has died is started again by
    the next call. ``state`` is starting, ready, failed or closed.
    """

    def __init__(
        self,
        *,
        rules: str | os.PathLike | Sequence[str | os.PathLike] = (),
        project: str | os.PathLike | None = None,
        state: str | os.PathLike | None = None,
        vars: Sequence[str] = (),
        command: str | None = None,
        env: Mapping[str, str] | None = None,
        url: str | None = None,
        token: str | None = None,
        timeout: float | None = 5,
        lenient: bool = False,
        restart: bool = False,
        on_rules: Callable[[dict[str, Any]], None] | None = None,
    ):
        if url:
            self._way = _Service(url, token, timeout)
        else:
            args = _arguments(command, "eval", rules, project, state, vars)
            self._way = _Lines(args, env, timeout, lenient, restart, on_rules)

    @property
    def state(self) -> str:
        return self._way.state

    @property
    def pid(self) -> int | None:
        """The co-process; None where there is none."""
        return self._way.pid

    @property
    def rules(self) -> list[str]:
        """The ids of the rules that are in use."""
        return self._way.rules

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """What is wrong with the rules, as ``aside check --json`` has it."""
        return self._way.diagnostics

    def ready(self) -> None:
        """Waits until the client is ready, and says why it is not."""
        self._way.ready()

    def decide(self, run: str | None, turn: Turn | None = None, *, timeout: float | None = None) -> Decision:
        """Decides a turn. It is stored before the answer comes; the same key again gets the same answer.

        ``asided`` refuses a key that was used with another turn. A key has at most 256 bytes.
        """
        return _checked(self._way.decide(run, turn or {}, timeout))

    def request(self, run: str | None, request: Mapping[str, Any], *, timeout: float | None = None, **more: Any) -> Decision:
        """The copy of a model request that is to be sent, as ``request`` of the answer.

        The request holds the whole history; nothing of a copy goes into it. ``more`` are ``api``, ``facts``,
        ``remind`` and ``at``. Without a run, the run is found by the conversation.
        """
        answer = self._way.decide(run, {**{k: v for k, v in more.items() if v is not None}, "request": request}, timeout)
        return answer if "request" in answer else _checked(answer)  # one that could not be changed goes out as it is

    def remind(self, run: str | None, id: str, *, timeout: float | None = None) -> None:
        """Fires by hand on the run's next turn."""
        _checked(self._way.remind(run, id, timeout))

    def why(self, run: str, id: str | None = None, *, timeout: float | None = None) -> Why:
        """Why each reminder, or that of an id, fired or did not on the run's last turn."""
        return _checked(self._way.why(run, id, timeout))["why"]

    def close(self) -> None:
        self._way.close()

    def __enter__(self) -> Aside:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncAside:
    """The same for asyncio: what waits there is awaited here, beside the event loop."""

    def __init__(self, **options: Any):
        self._options = options
        self.client: Aside | None = None

    async def _call(self, name: str, *args: Any, **more: Any) -> Any:
        if self.client is None:
            self.client = await asyncio.to_thread(lambda: Aside(**self._options))
        return await asyncio.to_thread(getattr(self.client, name), *args, **more)

    async def ready(self) -> None:
        await self._call("ready")

    async def decide(self, run: str | None, turn: Turn | None = None, *, timeout: float | None = None) -> Decision:
        return await self._call("decide", run, turn, timeout=timeout)

    async def request(self, run: str | None, request: Mapping[str, Any], **more: Any) -> Decision:
        return await self._call("request", run, request, **more)

    async def remind(self, run: str | None, id: str, *, timeout: float | None = None) -> None:
        await self._call("remind", run, id, timeout=timeout)

    async def why(self, run: str, id: str | None = None, *, timeout: float | None = None) -> Why:
        return await self._call("why", run, id, timeout=timeout)

    async def close(self) -> None:
        if self.client is not None:
            await asyncio.to_thread(self.client.close)

    async def __aenter__(self) -> AsyncAside:
        await self.ready()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _checked(answer):
    """Errors beside firings are of single texts, and the others are good."""
    if answer["errors"] and not answer.get("fired") and not answer.get("kept"):
        raise AsideError(answer["errors"])
    return answer


VENDORS = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "gemini": "https://generativelanguage.googleapis.com",
}


class Server:
    """``aside serve`` on this machine, before the model APIs. It ends with its stdin, so with this process.

    ``url`` is a base URL for SDKs: for Anthropic's as it is, for OpenAI's with ``/v1`` behind it.
    """

    def __init__(
        self,
        *,
        rules: str | os.PathLike | Sequence[str | os.PathLike] = (),
        project: str | os.PathLike | None = None,
        state: str | os.PathLike | None = None,
        vars: Sequence[str] = (),
        command: str | None = None,
        env: Mapping[str, str] | None = None,
        upstream: Mapping[str, str] | None = None,
        timeout: float | None = 5,
    ):
        self._upstreams = {**VENDORS, **(upstream or {})}
        self._dir = tempfile.TemporaryDirectory(prefix="aside-")
        file = Path(self._dir.name, "addr")
        args = _arguments(command, "serve", rules, project, state, vars)
        args += ["--listen", "127.0.0.1:0", "--addr-file", str(file)]
        for name, url in (upstream or {}).items():
            args += ["--upstream", f"{name}={url}"]
        try:
            self._child = _Child([*args, "--until-stdin-ends"], env)
        except AsideError:
            self._dir.cleanup()
            raise
        late = None if timeout is None else time.monotonic() + timeout
        while not (address := file.read_text() if file.exists() else ""):
            if late is not None and time.monotonic() > late:
                self._child.fail(f"{args[0]} serve does not listen within {timeout} s")
            if self._child.state == "failed":
                self.close()
                raise AsideError(self._child.reason.errors)
            time.sleep(0.01)
        self._child.state = "ready"
        self.url = "http://" + address.strip()

    @property
    def state(self) -> str:
        return self._child.state

    @property
    def pid(self) -> int:
        return self._child.process.pid

    def through(self, url: str) -> str:
        """The URL by which a request to a model API goes through the server; other URLs stay as they are."""
        for name, base in self._upstreams.items():
            if url.startswith(base.rstrip("/") + "/"):
                return f"{self.url}/{name}{url[len(base.rstrip('/')):]}"
        return url

    def close(self) -> None:
        self._child.close()
        self._dir.cleanup()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


serve = Server
