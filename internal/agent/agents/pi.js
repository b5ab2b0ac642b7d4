// Reminders for pi. "aside uninstall pi" removes this file.
// written by aside install; sum 
//
// Before each request to a model pi hands over the messages. What happened since the last request goes to aside on stdin, and what
// is due comes back and stands in that request only, in a message of its own: nothing is stored, and what stands before stays as
// it is. A call, and the end of the work, are asked about as well. Whatever goes wrong, nothing is added, and nothing held back.

import { spawn } from "node:child_process"

const command = ["aside-hook","--agent","pi"]
const patience = 5000 // milliseconds, as for the hooks of other agents; aside itself gives up sooner
const protocol = "aside-shim/1"

// ask returns what aside answers, undefined for nothing and for whatever goes wrong.
const ask = (request, ctx) => new Promise((done) => {
  try {
    let out = ""
    const child = spawn(command[0], command.slice(1), { cwd: ctx.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const end = (answer) => { clearTimeout(timer); done(answer?.protocol === protocol ? answer : undefined) }
    const timer = setTimeout(() => { end(); child.kill("SIGKILL") }, patience)
    child.on("error", () => end())
    child.on("close", (code) => { try { end(code === 0 && out ? JSON.parse(out) : undefined) } catch { end() } })
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (text) => { out += text })
    const session = ctx.sessionManager.getSessionId()
    child.stdin.end(JSON.stringify({ protocol, agent: "pi", cwd: ctx.cwd, session_id: session, ...request }))
  } catch { done() }
})

const text = (content) => typeof content === "string" ? content
  : (content ?? []).filter((block) => block.type === "text").map((block) => block.text).join("\n")

// ends is what aside reads of a result: its beginning and its end.
const ends = (said) => said.length <= 131072 ? said : said.slice(0, 65536) + said.slice(-65536)

// past is what the branch on which the session is tells of it.
const past = (ctx) => {
  const branch = ctx.sessionManager.getBranch()
  const messages = branch.filter((entry) => entry.type === "message")
  const prompts = messages.filter((entry) => entry.message.role === "user")
  const last = messages.findLastIndex((entry) => entry.message.role === "assistant")
  const results = new Map(messages.slice(last + 1).filter((entry) => entry.message.role === "toolResult")
    .map((entry) => [entry.message.toolCallId, entry.message]))
  const summary = branch.findLastIndex((entry) => entry.type === "compaction")
  const counted = branch.findLast((entry, i) => i > summary && entry.message?.role === "assistant" &&
    entry.message.usage?.input + entry.message.usage?.cacheRead > 0)
  const calls = last < 0 ? [] : messages[last].message.content.filter((block) => block.type === "toolCall")
  return { prompts, prompt: prompts.at(-1), answered: last >= 0, counted, tools: calls.map((call) => {
    const result = results.get(call.id)
    return { name: call.name, id: call.id, input: call.arguments, output: result && ends(text(result.content)),
      failed: result ? result.isError : null, duration_ms: result?.durationMs }
  }) }
}

export default function (pi) {
  const begun = new Set() // sessions that have made a request in this process
  let compacted = false // the next request is the first after a compaction
  let held // the id of the prompt after which the agent was kept at work

  pi.on("session_compact", async () => { compacted = true })

  pi.on("tool_call", async (event, ctx) => {
    const answer = await ask({
      event: "tool_call", tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input: event.input,
    }, ctx)
    if (answer?.hold) return { block: true, reason: answer.hold }
  })

  pi.on("context", async (event, ctx) => {
    try {
      const { prompts, prompt, answered, counted, tools } = past(ctx)
      if (!prompt) return
      const session = ctx.sessionManager.getSessionId()
      const resumed = !begun.has(session) && answered
      const usage = counted?.message.usage
      begun.add(session)
      const answer = await ask({
        event: "model_request", model: ctx.model && ctx.model.provider + "/" + ctx.model.id, thread_type: "root",
        prompt_id: prompt.id, prompt: text(prompt.message.content), turn_count: prompts.length, tools,
        tokens: usage && { input: usage.input, cache_read: usage.cacheRead, cache_write: usage.cacheWrite, output: usage.output },
        response_id: counted?.id, compacted, resumed, context_limit: ctx.model?.contextWindow,
      }, ctx)
      compacted = false
      const due = answer?.reminders ?? []
      if (due.length === 0) return
      const content = due.map((reminder) => ({ type: "text", text: "<system-reminder>\n" + reminder.text + "\n</system-reminder>" }))
      return { messages: [...event.messages, { role: "user", content, timestamp: Date.now() }] }
    } catch {}
  })

  pi.on("agent_before_settle", async (event, ctx) => {
    try {
      const { prompt } = past(ctx)
      const answer = await ask({ event: "stop", stop_hook_active: held === prompt?.id }, ctx)
      if (!answer?.hold) return
      held = prompt?.id
      const said = { type: "custom_message", customType: "aside", content: answer.hold, display: true }
      return { entries: [...event.entries, said], continue: true }
    } catch {}
  })

  pi.on("session_shutdown", async (event, ctx) => {
    if (event.reason !== "reload") await ask({ event: "session_end", reason: event.reason }, ctx)
  })
}
