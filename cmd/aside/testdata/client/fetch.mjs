// A loop of an agent over plain fetch, through a server of its own. The second request is sent twice.
import { serve } from '../../client/typescript/index.js';

const [rules, api] = process.argv.slice(2);
const server = await serve({ rules, state: 'memory', upstream: { openai: api } });
const ask = server.fetch('r');
const messages = [{ role: 'user', content: 'Why do the tests fail?' }];
const send = async () => {
  const r = await ask(`${api}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
    body: JSON.stringify({ model: 'gpt-4.1', messages, tools: [{ type: 'function', function: { name: 'Bash', parameters: { type: 'object' } } }] }),
  });
  return (await r.json()).choices[0].message;
};
for (let again = true; ; ) {
  const said = await send();
  if (messages.length > 1 && again) {
    again = false;
    continue; // the answer was lost
  }
  messages.push(said);
  if (!said.tool_calls) break;
  for (const c of said.tool_calls) messages.push({ role: 'tool', tool_call_id: c.id, content: 'exit status 1' });
}
console.log(JSON.stringify(messages));
await server.close();
