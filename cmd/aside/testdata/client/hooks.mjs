// The hooks of the client, called as the Claude Agent SDK calls them.
import { hooks } from '../../client/typescript/claude-agent.js';

const all = hooks();
const event = { session_id: 's', cwd: process.cwd(), transcript_path: '', permission_mode: 'default' };
const call = (name, more) => all[name][0].hooks[0]({ ...event, hook_event_name: name, ...more }, undefined, {});
const asked = await call('UserPromptSubmit', { prompt: 'Why do the tests fail?' });
const none = await hooks({ command: 'no-such-program' }).Stop[0].hooks[0]({ ...event, hook_event_name: 'Stop' });
console.log(JSON.stringify([asked.hookSpecificOutput?.additionalContext, none]));
