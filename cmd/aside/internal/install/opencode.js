// Reminders for opencode. "aside uninstall opencode" removes this file.
// written by aside install; sum 
//
// Before each request to a model, opencode hands over the list of messages. What happened since the last one goes to aside on
// stdin; the reminders that are due come back, and stand in that request only: nothing is stored. Whatever goes wrong, the
// list stays as it is.

import { spawn } from "node:child_process"

const command = ["aside-hook"]
const patience = 2000 // milliseconds

function ask(request, cwd) {
  return new Promise((done) => {
    let out = ""
    try {
      const child = spawn(command[0], command.slice(1), { cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const timer = setTimeout(() => { child.kill(); done("") }, patience)
      child.on("error", () => { clearTimeout(timer); done("") })
      child.on("close", (code) => { clearTimeout(timer); done(code === 0 ? out : "") })
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => { out += text })
      child.stdin.end(JSON.stringify(request))
    } catch {
      done("")
    }
  })
}

const textOf = (message) => message.parts.filter((p) => p.type === "text" && !p.synthetic && !p.ignored).map((p) => p.text).join("\n")

// toolOf tells of one call. A shell command that ends with another code than 0 is completed for opencode, and failed for us.
function toolOf(part) {
  const state = part.state ?? {}
  const done = state.status === "completed" || state.status === "error"
  const failed = state.status === "error" || (typeof state.metadata?.exit === "number" && state.metadata.exit !== 0)
  return { name: part.tool, id: part.callID, failed: done ? failed : null }
}

export const Aside = async ({ directory }) => {
  const limits = new Map() // context windows, by session
  return {
    "chat.params": async (input) => {
      try {
        const limit = input.model?.limit?.context
        if (limit) limits.set(input.sessionID, limit)
      } catch {}
    },
    "experimental.chat.messages.transform": async (_, output) => {
      try {
        const messages = output.messages
        const last = messages[messages.length - 1]
        const session = last?.info?.sessionID
        if (!session) return
        const users = messages.filter((m) => m.info.role === "user" && textOf(m) !== "")
        const user = users[users.length - 1]
        if (!user) return
        const answers = messages.filter((m) => m.info.role === "assistant")
        const answer = answers[answers.length - 1]
        const since = messages.slice(messages.lastIndexOf(user) + 1).filter((m) => m.info.role === "assistant")
        const tools = (since[since.length - 1]?.parts ?? []).filter((p) => p.type === "tool").map(toolOf)
        const usage = answers.findLast((m) => m.info.tokens?.input || m.info.tokens?.cache?.read)?.info.tokens
        const model = user.info.model
        const request = {
          protocol: "aside-shim/1", agent: "opencode", event: "model_request",
          session_id: session, cwd: directory,
          model: model ? `${model.providerID}/${model.modelID}` : undefined,
          thread_type: last.info.agent ?? user.info.agent,
          turn_count: users.length,
          prompt_id: user.info.id, prompt: textOf(user), call_id: last.info.id + ":" + last.parts.length,
          tools, last_tool: tools[tools.length - 1],
          tokens: usage && {
            input: usage.input, cache_read: usage.cache?.read ?? 0, cache_write: usage.cache?.write ?? 0,
            output: usage.output, reasoning: usage.reasoning ?? 0,
          },
          stop: answer?.info.finish,
          context_limit: limits.get(session),
        }
        const said = await ask(request, directory)
        if (!said.trim()) return
        const due = JSON.parse(said).reminders ?? []
        if (due.length === 0) return
        const id = "msg_zzzzzzzzzzaside" + last.info.id.slice(4, 16)
        messages.push({
          info: { ...user.info, id },
          parts: due.map((r, i) => ({
            id: `prt_aside_${i}`, sessionID: session, messageID: id, type: "text", synthetic: true,
            text: `<system-reminder>\n${r.text}\n</system-reminder>`,
          })),
        })
      } catch {}
    },
  }
}
