// An editor by Microsoft's own library for the protocol. It starts the server that its arguments name in a project, speaks with it as
// editors do, and prints what came of that as one JSON object.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import protocol from 'vscode-languageserver-protocol/node.js'

const {
  createProtocolConnection, StreamMessageReader, StreamMessageWriter, InitializeRequest, InitializedNotification, ShutdownRequest,
  ExitNotification, DidOpenTextDocumentNotification, DidChangeTextDocumentNotification, PublishDiagnosticsNotification, HoverRequest,
  CompletionRequest, CodeActionRequest, DocumentFormattingRequest, DefinitionRequest, DocumentSymbolRequest,
  RegistrationRequest, LogMessageNotification,
} = protocol

const [project, ...command] = process.argv.slice(2)
const server = spawn(command[0], command.slice(1), { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] })
const ended = new Promise((resolve) => server.on('exit', resolve))
const conn = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin))
const uri = (name) => pathToFileURL(join(project, name)).toString()

const told = new Map() // by URI
const waiting = []
conn.onNotification(PublishDiagnosticsNotification.type, (p) => {
  told.set(p.uri, p)
  for (const w of waiting.splice(0)) w()
})
const logged = []
conn.onNotification(LogMessageNotification.type, (p) => logged.push(p.message))
const registered = []
conn.onRequest(RegistrationRequest.type, (p) => {
  registered.push(...p.registrations.map((r) => r.method))
})
conn.onError((e) => { throw e })
conn.listen()

// diagnostics waits for what is said of a version.
async function diagnostics(name, version) {
  while (!(told.get(uri(name))?.version >= version)) await new Promise((resolve) => waiting.push(resolve))
  return told.get(uri(name)).diagnostics
}

const out = {}
const init = await conn.sendRequest(InitializeRequest.type, {
  processId: process.pid,
  rootUri: pathToFileURL(project).toString(),
  workspaceFolders: [{ uri: pathToFileURL(project).toString(), name: 'project' }],
  capabilities: {
    general: { positionEncodings: ['utf-16'] },
    workspace: { workspaceEdit: { documentChanges: true }, didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true } },
    textDocument: {
      completion: { completionItem: { snippetSupport: true } },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source.fixAll'] } } },
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      publishDiagnostics: { versionSupport: true },
    },
  },
})
out.server = init.serverInfo.name
out.encoding = init.capabilities.positionEncoding
await conn.sendNotification(InitializedNotification.type, {})

const name = '.aside/reminders/full.md'
const source = readFileSync(join(project, name), 'utf8')
const doc = { uri: uri(name) }
await conn.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { ...doc, languageId: 'markdown', version: 1, text: source } })
out.first = (await diagnostics(name, 1)).map((d) => ({ code: d.code, severity: d.severity, range: d.range, source: d.source }))

// The fix of the first finding, followed as an editor follows it.
const found = (await diagnostics(name, 1))[0]
const actions = await conn.sendRequest(CodeActionRequest.type, { textDocument: doc, range: found.range, context: { diagnostics: [found] } })
out.actions = actions.map((a) => [a.kind, a.isPreferred === true])
const edit = actions.find((a) => a.isPreferred).edit.documentChanges[0]
out.editVersion = edit.textDocument.version
await conn.sendNotification(DidChangeTextDocumentNotification.type, {
  textDocument: { ...doc, version: 2 }, contentChanges: edit.edits.map((e) => ({ range: e.range, text: e.newText })),
})
out.fixed = (await diagnostics(name, 2)).map((d) => d.code)

const place = { line: 2, character: 10 } // in context_usage, behind an astral character in the line above
const hover = await conn.sendRequest(HoverRequest.type, { textDocument: doc, position: place })
out.hover = hover.contents.value.split('\n')[0]
const list = await conn.sendRequest(CompletionRequest.type, { textDocument: doc, position: { line: 2, character: 13 } })
out.completion = list.items.filter((i) => i.label.startsWith('context_')).map((i) => [i.label, i.textEdit.range])
const format = await conn.sendRequest(DocumentFormattingRequest.type, { textDocument: doc, options: { tabSize: 2, insertSpaces: true } })
out.format = format.map((e) => [e.range, e.newText])
const symbols = await conn.sendRequest(DocumentSymbolRequest.type, { textDocument: doc })
out.symbols = symbols.map((s) => [s.name, s.detail])

const other = { uri: uri('.aside/reminders/more.yaml') }
await conn.sendNotification(DidOpenTextDocumentNotification.type, {
  textDocument: { ...other, languageId: 'yaml', version: 1, text: readFileSync(join(project, '.aside/reminders/more.yaml'), 'utf8') },
})
const at = { textDocument: other, position: { line: 2, character: 24 } } // in turns_since("full")
const path = (u) => u.slice(pathToFileURL(project).toString().length + 1)
out.definition = (await conn.sendRequest(DefinitionRequest.type, at)).map((l) => path(l.uri))
out.unknown = await conn.sendRequest('aside/nothing', {}).catch((e) => e.code)

await conn.sendRequest(ShutdownRequest.type)
await conn.sendNotification(ExitNotification.type)
out.exit = await ended
out.registered = registered
out.logged = logged
conn.dispose()
console.log(JSON.stringify(out))
