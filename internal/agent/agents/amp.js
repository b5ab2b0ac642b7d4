// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
// Reminders for Amp. "aside uninstall amp" removes this file.
// written by aside install; sum 
//
// At each prompt Amp takes a message beside it. What happened since goes to aside on stdin, and what is due comes back and stands
// in that message. A call is not asked about: the answer would have to allow it. Whatever goes wrong, nothing is added.

import { spawn } from "node:child_process"

const command = ["aside-hook","--agent","amp"]
const patience = 5000 // milliseconds, as for the hooks of other agents; aside itself gives up sooner
const protocol = "aside-shim/1"

// ask returns what aside answers, undefined for nothing and for whatever goes wrong.
const ask = (event, request) => new Promise((done) => {
  try {
    let out = ""
    const cwd = process.cwd()
    const child = spawn(command[0], command.slice(1), { cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const end = (answer) => { clearTimeout(timer); done(answer?.protocol === protocol ? answer : undefined) }
    const timer = setTimeout(() => { end(); child.kill("SIGKILL") }, patience)
    child.on("error", () => end())
    child.on("close", (code) => { try { end(code === 0 && out ? JSON.parse(out) : undefined) } catch { end() } })
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (text) => { out += text })
    child.stdin.end(JSON.stringify({ protocol, agent: "amp", cwd, session_id: event.thread?.id, ...request }))
  } catch { done() }
})

// ends is what aside reads of a result: its beginning and its end.
const ends = (said) => said.length <= 131072 ? said : said.slice(0, 65536) + said.slice(-65536)

export default function (amp) {
  amp.on("agent.start", async (event) => {
    const answer = await ask(event, { event: "user_prompt", prompt_id: event.id && String(event.id), prompt: event.message })
    const due = (answer?.reminders ?? []).map((reminder) => reminder.text)
    return due.length > 0 ? { message: { content: due.join("\n\n") } } : {}
  })

  amp.on("tool.result", async (event) => {
    const failed = event.status && event.status !== "done"
    await ask(event, {
      event: failed ? "tool_failed" : "tool_result", tool_name: event.tool, tool_use_id: event.toolUseID, tool_input: event.input,
      tool_output: typeof event.output === "string" ? ends(event.output) : undefined,
    })
  })
}
