// Claude Agent SDK: a session that is resumed with each prompt.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { model, play, url } from '../js/scene.mjs';

const cwd = mkdtempSync(join(process.cwd(), 'home-'));
const env = {
  ...process.env,
  HOME: cwd,
  IS_SANDBOX: '1',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'key',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
};
let resume;

await play(async (prompt) => {
  let text = '';
  for await (const m of query({ prompt, options: { model, cwd, env, resume, allowedTools: ['Read', 'Edit', 'Bash'] } })) {
    if (m.type === 'result') [text, resume] = [m.result, m.session_id];
  }
  return text;
});
