import Anthropic from '@anthropic-ai/sdk';
import { model, names, play, retries, schema, stream, url } from './play.mjs';

const client = new Anthropic({ apiKey: 'key', baseURL: url, maxRetries: retries });
const messages = [];

await play({
  user: (text) => messages.push({ role: 'user', content: text }),
  results: (rs) =>
    messages.push({
      role: 'user',
      content: rs.map((r) => ({ type: 'tool_result', tool_use_id: r.id, content: r.text, is_error: r.failed })),
    }),
  history: () => messages,
  ask: async () => {
    const params = {
      model,
      max_tokens: 4000,
      system: [{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }],
      cache_control: { type: 'ephemeral' },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: names.map((name) => ({ name, input_schema: schema })),
      messages,
    };
    const m = stream ? await client.messages.stream(params).finalMessage() : await client.messages.create(params);
    messages.push({ role: 'assistant', content: m.content });
    const all = (key) => m.content.map((b) => b[key] ?? '').join('');
    return {
      text: all('text'),
      thinking: all('thinking'),
      calls: m.content.filter((b) => b.type === 'tool_use').map((b) => ({ ID: b.id, Name: b.name, Args: JSON.stringify(b.input) })),
      prompt: m.usage.input_tokens + m.usage.cache_read_input_tokens + m.usage.cache_creation_input_tokens,
      output: m.usage.output_tokens,
    };
  },
});
