"""The same loop by the adapters for Python: WAY is httpx, langchain, pydantic_ai or openai_agents.

httpx is the real one. The others cannot be fetched here: of them this file has the parts that the adapters use, as
their documentation of LangChain 1.0, pydantic-ai 1.0 and openai-agents 0.4 has them.
"""

import asyncio
import json
import sys
import types
import urllib.request
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "client/python/src"))
sys.dont_write_bytecode = True
import aside

way, rules, api = sys.argv[1:]
TOOLS = [{"type": "function", "function": {"name": "Bash", "parameters": {"type": "object"}}}]


def module(name, **members):
    parts = name.split(".")
    for i in range(1, len(parts)):
        sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
    m = sys.modules[name] = types.ModuleType(name)
    m.__dict__.update(members)


def body(messages):
    return {"model": "gpt-4.1", "messages": messages, "tools": TOOLS}


def loop(send):
    """An agent. The second request is sent twice: its first answer is lost."""
    messages, again = [{"role": "user", "content": "Why do the tests fail?"}], True
    while True:
        said = send(messages)
        if len(messages) > 1 and again:
            again = False
            continue
        messages.append(said)
        if not said.get("tool_calls"):
            return messages
        for c in said["tool_calls"]:
            messages.append({"role": "tool", "tool_call_id": c["id"], "content": "exit status 1"})


def by_httpx():
    import httpx

    from aside.httpx import AsyncTransport, Transport

    with aside.serve(rules=rules, state="memory", upstream={"openai": api}) as server:
        with httpx.Client(transport=Transport(server, run="r")) as client:

            def send(messages):
                if len(messages) > 1:  # both kinds of clients
                    return asyncio.run(later(messages))
                return client.post(api + "/v1/chat/completions", json=body(messages)).json()["choices"][0]["message"]

            async def later(messages):
                async with httpx.AsyncClient(transport=AsyncTransport(server, run="r")) as client:
                    answer = await client.post(api + "/v1/chat/completions", json=body(messages))
                    return answer.json()["choices"][0]["message"]

            return loop(send)


def post(url, messages, headers):
    request = urllib.request.Request(url, data=json.dumps(body(messages)).encode(), headers=headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]


JSON = {"content-type": "application/json", "authorization": "Bearer key"}


def by_openai_agents():
    made = []

    class AsyncOpenAI:
        def __init__(self, *, base_url, default_headers, api_key):
            self.base_url, self.headers = base_url, {**default_headers, **JSON}

    module("openai", AsyncOpenAI=AsyncOpenAI)
    module("agents", set_default_openai_client=made.append)
    from aside.openai_agents import use

    with aside.serve(rules=rules, state="memory", upstream={"openai": api}) as server:
        use(server, run="r", api_key="key")
        return loop(lambda messages: post(made[0].base_url + "/chat/completions", messages, made[0].headers))


def by_pydantic_ai():
    import httpx

    class Provider:
        def __init__(self, *, http_client, base_url=None, api_key=None):
            self.client, self.base_url = http_client, base_url

    class Model:
        def __init__(self, name, *, provider):
            self.name, self.provider = name, provider

    module("pydantic_ai.models.openai", OpenAIChatModel=Model)
    module("pydantic_ai.models.anthropic", AnthropicModel=Model)
    module("pydantic_ai.providers.openai", OpenAIProvider=Provider)
    module("pydantic_ai.providers.anthropic", AnthropicProvider=Provider)
    from aside.pydantic_ai import openai

    with aside.serve(rules=rules, state="memory", upstream={"openai": api}) as server:

        def send(messages):
            model = openai("gpt-4.1", server, run="r", base_url=api + "/v1", api_key="key")

            async def asked():
                assert isinstance(model.provider.client, httpx.AsyncClient)
                async with model.provider.client as client:
                    return await client.post(model.provider.base_url + "/chat/completions", json=body(messages))

            return asyncio.run(asked()).json()["choices"][0]["message"]

        return loop(send)


@dataclass
class Message:
    content: object
    type: str = "human"
    tool_calls: list = field(default_factory=list)
    tool_call_id: str = ""
    status: str = "success"
    usage_metadata: dict | None = None

    def model_copy(self, update):
        return replace(self, **update)


@dataclass
class ModelRequest:
    messages: list
    system_message: Message | None = None

    def override(self, **changed):
        return replace(self, **changed)


def by_langchain():
    module("langchain.agents.middleware", AgentMiddleware=type("AgentMiddleware", (), {"__init__": lambda self: None}))
    module("langchain_core.messages", BaseMessage=Message, HumanMessage=Message)
    from aside.langchain import Reminders

    roles = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}

    def wire(m):
        calls = [{"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["args"])}} for c in m.tool_calls]
        more = {"tool_calls": calls} if calls else {"tool_call_id": m.tool_call_id} if m.type == "tool" else {}
        return {"role": roles[m.type], "content": m.content, **more}

    def of(m):
        calls = [{"id": c["id"], "name": c["function"]["name"], "args": json.loads(c["function"]["arguments"])} for c in m.get("tool_calls", [])]
        kind = next(k for k, v in roles.items() if v == m["role"])
        status = "error" if kind == "tool" else "success"
        return Message(m["content"] or "", kind, calls, m.get("tool_call_id", ""), status)

    def handler(request):
        return post(api + "/v1/chat/completions", [wire(m) for m in [request.system_message, *request.messages]], JSON)

    async def ahandler(request):
        return handler(request)

    with aside.Aside(rules=rules, state="memory") as client:
        middleware = Reminders(client, run="r")

        def send(messages):
            request = ModelRequest([of(m) for m in messages], Message("You are an agent.", "system"))
            before = repr(request)
            if len(messages) > 1:
                said = asyncio.run(middleware.awrap_model_call(request, ahandler))
            else:
                said = middleware.wrap_model_call(request, handler)
            assert repr(request) == before, "the framework's own request was changed"
            return said

        return loop(send)


print(json.dumps(globals()["by_" + way]()))
