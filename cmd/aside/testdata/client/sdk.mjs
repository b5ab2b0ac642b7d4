// The hooks of the client in the real Claude Agent SDK: what a person says twice, the second time in the resumed session.
// It runs in a folder in which the SDK is installed.
import { query } from '@anthropic-ai/claude-agent-sdk';

const [client, claude] = process.argv.slice(2);
const { hooks } = await import(client);
const cwd = process.cwd();
const env = { ...process.env, IS_SANDBOX: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
const options = { model: 'claude-sonnet-4-5', cwd, env, pathToClaudeCodeExecutable: claude, allowedTools: ['Bash'], hooks: hooks({ env }) };
const said = [];
let resume;
for (const prompt of ['Why do the tests fail?', 'Mend it.']) {
  for await (const m of query({ prompt, options: { ...options, resume } })) {
    if (m.type === 'result') [said[said.length], resume] = [m.result, m.session_id];
  }
}
console.log(JSON.stringify(said));
