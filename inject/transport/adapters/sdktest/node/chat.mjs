import OpenAI from 'openai';
import { model, names, play, retries, schema, stream, url } from './play.mjs';

const client = new OpenAI({ apiKey: 'key', baseURL: url + '/v1', maxRetries: retries });
const messages = [{ role: 'developer', content: 'You are an agent.' }];

await play({
  user: (text) => messages.push({ role: 'user', content: text }),
  results: (rs) => messages.push(...rs.map((r) => ({ role: 'tool', tool_call_id: r.id, content: r.text }))),
  history: () => messages,
  ask: async () => {
    const tools = names.map((name) => ({ type: 'function', function: { name, parameters: schema } }));
    const all = stream
      ? await client.chat.completions.stream({ model, messages, tools, stream_options: { include_usage: true } }).finalChatCompletion()
      : await client.chat.completions.create({ model, messages, tools });
    const m = all.choices[0].message;
    messages.push(m);
    return {
      text: m.content ?? '',
      calls: (m.tool_calls ?? []).map((c) => ({ ID: c.id, Name: c.function.name, Args: c.function.arguments })),
      prompt: all.usage.prompt_tokens,
      output: all.usage.completion_tokens,
    };
  },
});
