// Hooks for the Claude Agent SDK: query({ prompt, options: { hooks: hooks() } }). They do what `aside install claude-code`
// does for Claude Code: each event goes to `aside hook`, whose answer holds the texts that are due. The SDK keeps them in
// its session.
import { spawn } from 'node:child_process';
import { program } from './index.js';

const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PreCompact', 'SubagentStart', 'Stop', 'SessionEnd'];

export function hooks({ command, env = process.env } = {}) {
  const found = program({ command });
  const hook = (input) =>
    new Promise((resolve) => {
      const child = spawn(found, ['hook', '--agent', 'claude-code', '--event', input.hook_event_name], { env, stdio: ['pipe', 'pipe', 'ignore'] });
      let out = '';
      child.stdout.on('data', (text) => (out += text));
      child.on('error', () => resolve({})); // an agent goes on without reminders
      child.on('close', () => resolve(answer(out)));
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify(input));
    });
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]));
}

function answer(out) {
  try {
    return JSON.parse(out || '{}');
  } catch {
    return {};
  }
}
