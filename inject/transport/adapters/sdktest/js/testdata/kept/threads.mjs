// @anthropic-ai/sdk: its own runner of tools, with message threads, as it does by default.
import Anthropic from '@anthropic-ai/sdk';
import { model, names, play, run, schema, stream, url } from '../js/scene.mjs';

const client = new Anthropic({ apiKey: 'key', baseURL: url });
const tools = names.map((name) => ({ name, description: name, input_schema: schema, parse: (x) => x, run: run(name) }));
let messages = [];

await play(async (content) => {
  const runner = client.beta.messages.toolRunner({
    model,
    stream,
    max_tokens: 4000,
    system: 'You are an agent.',
    tools,
    messages: [...messages, { role: 'user', content }],
  });
  const last = await runner.runUntilDone();
  messages = [...runner.params.messages];
  if (messages.at(-1).role !== 'assistant') messages.push({ role: 'assistant', content: last.content });
  return last.content.map((b) => b.text ?? '').join('');
});
