// Reminders for opencode. "aside uninstall opencode" removes this file.
// written by aside install; sum 
//
// Before each request to a model opencode hands over the messages. What happened since the last request goes to aside on stdin, and
// what is due comes back and stands in that request only, in a message of its own: nothing is stored, and what stands before stays
// as it is. A title is made of the messages up to the first prompt, so it gets nothing. Whatever goes wrong, nothing is added.

import { spawn } from "node:child_process"

const command = ["aside-hook","--agent","opencode"]
const patience = 5000 // milliseconds, as for the hooks of other agents; aside itself gives up sooner
const protocol = "aside-shim/1"

// ask returns what aside answers, undefined for nothing and for whatever goes wrong.
const ask = (request, cwd) => new Promise((done) => {
  try {
    let out = ""
    const child = spawn(command[0], command.slice(1), { cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const end = (answer) => { clearTimeout(timer); done(answer) }
    const timer = setTimeout(() => { end(); child.kill("SIGKILL") }, patience)
    child.on("error", () => end())
    child.on("close", (code) => { try { end(code === 0 && out ? JSON.parse(out) : undefined) } catch { end() } })
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (text) => { out += text })
    child.stdin.end(JSON.stringify({ protocol, agent: "opencode", cwd, ...request }))
  } catch { done() }
})

// written is what a person wrote in a message; the rest of it is opencode's own.
const written = (m) => (m.parts ?? []).filter((p) => p.type === "text" && !p.synthetic && !p.ignored).map((p) => p.text).join("\n")

// ends is what aside reads of a result: its beginning and its end.
const ends = (text) => typeof text !== "string" || text.length <= 131072 ? text : text.slice(0, 65536) + text.slice(-65536)

// used tells of a tool's use. A command that ended with another code than 0 is completed for opencode.
const used = ({ tool, callID, state = {} }) => ({
  name: tool, id: callID, input: state.input, output: ends(state.output ?? state.error),
  failed: state.status === "error" || (state.status === "completed" ? (state.metadata?.exit ?? 0) !== 0 : null),
})

export const Aside = async ({ client, directory }) => {
  const limits = new Map() // sizes of context windows, by model
  const parents = new Map() // of sessions; null of one that has none
  const begun = new Set() // sessions that have made a request in this process
  const compacted = new Set() // sessions whose next request is the first after a compaction
  let compacting // the session whose next list is what a compaction sums up

  // parent returns null for a session that has none, and undefined where nobody says.
  const parent = async (id) => {
    if (!parents.has(id)) {
      let timer
      const late = new Promise((done) => { timer = setTimeout(done, patience / 10) })
      const found = await Promise.race([client.session.get({ path: { id } }), late]).catch(() => {})
      clearTimeout(timer)
      if (found?.data) parents.set(id, found.data.parentID ?? null)
    }
    return parents.get(id)
  }

  return {
    "chat.params": async ({ model }) => {
      try { if (model?.limit?.context) limits.set(model.providerID + "/" + model.id, model.limit.context) } catch {}
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      compacting = sessionID
      compacted.add(sessionID)
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const answered = await ask({
        event: "tool_call", session_id: sessionID, tool_name: tool, tool_use_id: callID, tool_input: output?.args,
      }, directory).catch(() => {})
      if (answered?.protocol === protocol && answered.hold) throw new Error(answered.hold)
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      try {
        const last = messages.at(-1)
        const session = last?.info.sessionID
        const sum = compacting !== undefined && (session === undefined || session === compacting)
        if (sum) compacting = undefined
        const user = messages.findLast((m) => m.info.role === "user")?.info
        if (sum || !session || !user) return
        const prompts = messages.filter((m) => m.info.role === "user" && written(m))
        const prompt = prompts.at(-1)
        const answer = messages.findLast((m) => m.info.role === "assistant")
        const summary = messages.findLast((m) => m.info.summary === true && m.info.role === "assistant")?.info.id ?? ""
        const counted = messages.findLast(({ info }) => info.role === "assistant" && info.id > summary && info.tokens?.input + info.tokens?.cache?.read > 0)?.info
        const model = user.model && user.model.providerID + "/" + user.model.modelID
        const above = await parent(session)
        const first = compacted.delete(session)
        const resumed = !begun.has(session) && answer !== undefined
        begun.add(session)
        const answered = await ask({
          event: "model_request", session_id: session, model,
          thread_type: above ? user.agent : above === null ? "root" : undefined,
          prompt_id: prompt?.info.id, prompt: prompt && written(prompt), turn_count: prompts.length,
          tools: (answer?.parts ?? []).filter((p) => p.type === "tool").map(used),
          tokens: counted && {
            input: counted.tokens.input, cache_read: counted.tokens.cache.read, cache_write: counted.tokens.cache.write,
            output: counted.tokens.output, reasoning: counted.tokens.reasoning,
          },
          response_id: counted?.id, compacted: first, resumed, context_limit: limits.get(model),
        }, directory)
        const due = (answered?.protocol === protocol && answered.reminders) || []
        if (due.length === 0) return
        const id = user.id + "_aside"
        messages.push({
          info: { ...user, id },
          parts: due.map(({ text }, i) => ({
            id: "prt_aside_" + (i + 1), sessionID: session, messageID: id, type: "text", synthetic: true,
            text: "<system-reminder>\n" + text + "\n</system-reminder>",
          })),
        })
      } catch {}
    },
  }
}
