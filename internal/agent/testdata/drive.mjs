// Plays opencode to a plugin: reads {plugin, parents, hang, steps} on stdin, calls the hooks of the steps one after another, and
// prints what each made of its output, and how long it took.
import { readFileSync, writeSync } from "node:fs"

const { plugin, parents = {}, hang = false, steps } = JSON.parse(readFileSync(0, "utf8"))
const client = {
  session: {
    get: async ({ path }) => {
      if (hang) await new Promise(() => {})
      if (!(path.id in parents)) throw new Error("no session " + path.id)
      return { data: { id: path.id, parentID: parents[path.id] ?? undefined } }
    },
  },
}
const { Aside } = await import(plugin)
const hooks = await Aside({ client, directory: process.cwd(), worktree: process.cwd(), project: {}, $: () => {} })
const said = []
for (const { hook, input = {}, output = {} } of steps) {
  const began = Date.now()
  const list = output?.messages
  const returned = await hooks[hook](input, output)
  said.push({ output, same: output?.messages === list, returned: returned === undefined, ms: Date.now() - began })
}
const out = Buffer.from(JSON.stringify(said))
for (let at = 0; at < out.length;) at += writeSync(1, out, at)
process.exit(0)
