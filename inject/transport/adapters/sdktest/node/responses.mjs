import OpenAI from 'openai';
import { model, names, play, retries, schema, stream, url } from './play.mjs';

const client = new OpenAI({ apiKey: 'key', baseURL: url + '/v1', maxRetries: retries });
const chained = process.argv[6] === 'chained';
let input = [];
let previous;

await play({
  user: (text) => input.push({ role: 'user', content: text }),
  results: (rs) => input.push(...rs.map((r) => ({ type: 'function_call_output', call_id: r.id, output: r.text }))),
  history: () => input,
  ask: async () => {
    const params = {
      model,
      instructions: 'You are an agent.',
      store: chained,
      input,
      tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
    };
    if (previous) params.previous_response_id = previous;
    if (!chained) params.include = ['reasoning.encrypted_content'];
    const res = stream ? await client.responses.stream(params).finalResponse() : await client.responses.create(params);
    if (chained) {
      input = [];
      previous = res.id;
    } else {
      input.push(...res.output);
    }
    return {
      text: res.output_text,
      calls: res.output.filter((i) => i.type === 'function_call').map((i) => ({ ID: i.call_id, Name: i.name, Args: i.arguments })),
      prompt: res.usage.input_tokens,
      output: res.usage.output_tokens,
    };
  },
});
