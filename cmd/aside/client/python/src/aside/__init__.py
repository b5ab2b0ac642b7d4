"""A client of aside: over ``aside eval`` as a child process, or over the evaluation API of ``asided serve``.

    with Aside(project=".") as aside:
        for fired in aside.decide("session-1", {"facts": {"context_usage": 0.8}})["fired"]:
            print(fired["text"])

The methods may be called from several threads; an answer takes a millisecond or so.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

__all__ = ["API", "Aside", "AsideError", "Call", "Decision", "Fired", "Server", "Turn", "Why", "program", "protocol", "serve"]

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


class Turn(TypedDict, total=False):
    """A turn: a model call, or a moment beside it. ``aside help facts`` lists the facts."""

    facts: Mapping[str, Any]
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


class _Lines:
    """A child process ``aside eval``: a line in, a line out."""

    def __init__(self, args: list[str], env: Mapping[str, str] | None):
        self._lock = threading.Lock()
        self._trouble = tempfile.TemporaryFile()
        try:
            self._child = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._trouble, env=env)
        except OSError as e:
            raise AsideError([f"{args[0]} cannot be started: {e.strerror}"]) from e

    def ask(self, run: str | None, line: Mapping[str, Any]) -> dict[str, Any]:
        whole = {"protocol": protocol, **({} if run is None else {"run": run}), **line}
        with self._lock:
            try:
                self._child.stdin.write(json.dumps(whole).encode() + b"\n")
                self._child.stdin.flush()
                answer = self._child.stdout.readline()
            except (OSError, ValueError):
                answer = b""
            if not answer:
                self._trouble.seek(0)
                raise AsideError(["aside eval has ended: " + self._trouble.read().decode(errors="replace").strip()])
        return json.loads(answer)

    def decide(self, run, turn):
        return self.ask(run, turn)

    def remind(self, run, id):
        return self.ask(run, {"queue": [id]})

    def why(self, run, id):
        return self.ask(run, {"why": id or True})

    def close(self) -> None:
        with self._lock:
            self._child.stdin.close()
            self._child.wait()
            self._child.stdout.close()
            self._trouble.close()


class _Service:
    """The evaluation API of a server."""

    def __init__(self, url: str, token: str | None):
        self._url = url.rstrip("/")
        self._headers = {"content-type": "application/json", **({"x-aside-token": token} if token else {})}

    def ask(self, run: str | None, path: str, method: str, body: Any = None) -> Any:
        if not run:
            raise AsideError(["run: the evaluation API takes runs with a name"])
        url = f"{self._url}/v1/runs/{urllib.parse.quote(run, safe='')}{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method, headers=self._headers)
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as e:
            try:
                problem = json.load(e)
            except ValueError:  # of something that stands before the server
                raise AsideError([f"{self._url} does not answer as asided serve does: {e}"]) from e
            raise AsideError(problem.get("errors") or [problem.get("detail", str(e))]) from e
        except (OSError, ValueError) as e:
            raise AsideError([f"{self._url} does not answer as asided serve does: {e}"]) from e

    def decide(self, run, turn):
        return self.ask(run, "/turns", "POST", {"protocol": protocol, **turn})

    def remind(self, run, id):
        self.ask(run, "/remind/" + urllib.parse.quote(id, safe=""), "POST")
        return {"errors": []}

    def why(self, run, id):
        query = "?" + urllib.parse.urlencode({"id": id}) if id else ""
        return {"errors": [], "why": self.ask(run, "/why" + query, "GET")}

    def close(self) -> None:
        pass


class Aside:
    """A client over a child process ``aside eval``, or, with ``url``, over the evaluation API of ``asided serve``.

    ``program(command)`` is run. ``rules`` are files, directories or globs in place of those of the home directory,
    ``vars`` facts of your own (``NAME:TYPE[:KIND]``).
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
    ):
        self._way = _Service(url, token) if url else _Lines(_arguments(command, "eval", rules, project, state, vars), env)

    def decide(self, run: str | None, turn: Turn | None = None) -> Decision:
        """Decides a turn. It is stored before the answer comes; the same key again gets the same answer."""
        return _checked(self._way.decide(run, turn or {}))

    def request(self, run: str | None, request: Mapping[str, Any], **more: Any) -> Decision:
        """The copy of a model request that is to be sent, as ``request`` of the answer.

        The request holds the whole history; nothing of a copy goes into it. ``more`` are ``api``, ``facts``,
        ``remind`` and ``at``. Without a run, the run is found by the conversation.
        """
        answer = self._way.decide(run, {**{k: v for k, v in more.items() if v is not None}, "request": request})
        return answer if "request" in answer else _checked(answer)  # one that could not be changed goes out as it is

    def remind(self, run: str | None, id: str) -> None:
        """Fires by hand on the run's next turn."""
        _checked(self._way.remind(run, id))

    def why(self, run: str, id: str | None = None) -> Why:
        """Why each reminder, or that of an id, fired or did not on the run's last turn."""
        return _checked(self._way.why(run, id))["why"]

    def close(self) -> None:
        self._way.close()

    def __enter__(self) -> Aside:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
    """``aside serve`` on this machine, before the model APIs. It ends with this process.

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
    ):
        self._upstreams = {**VENDORS, **(upstream or {})}
        self._dir = tempfile.TemporaryDirectory(prefix="aside-")
        file = Path(self._dir.name, "addr")
        args = _arguments(command, "serve", rules, project, state, vars)
        args += ["--listen", "127.0.0.1:0", "--addr-file", str(file)]
        for name, url in (upstream or {}).items():
            args += ["--upstream", f"{name}={url}"]
        log = Path(self._dir.name, "log")
        try:
            with log.open("wb") as out:
                self._child = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=out, env=env)
        except OSError as e:
            raise AsideError([f"{args[0]} cannot be started: {e.strerror}"]) from e
        atexit.register(self.close)
        while not (address := file.read_text() if file.exists() else ""):
            if self._child.poll() is not None:
                raise AsideError(["aside serve: " + log.read_text().strip()])
            time.sleep(0.01)
        self.url = "http://" + address.strip()

    def through(self, url: str) -> str:
        """The URL by which a request to a model API goes through the server; other URLs stay as they are."""
        for name, base in self._upstreams.items():
            if url.startswith(base.rstrip("/") + "/"):
                return f"{self.url}/{name}{url[len(base.rstrip('/')):]}"
        return url

    def close(self) -> None:
        atexit.unregister(self.close)
        self._child.terminate()
        self._child.wait()
        self._dir.cleanup()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


serve = Server
