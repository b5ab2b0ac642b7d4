// Cline's agent, whose host keeps the first pair of messages and the last ones.
import { Agent } from '@cline/agents';
import { model, names, play, run, schema, url } from '../js/scene.mjs';

const head = 2, tail = 4;
const agent = new Agent({
  providerId: 'anthropic',
  modelId: model,
  apiKey: 'key',
  baseUrl: url + '/v1',
  systemPrompt: 'You are an agent.',
  tools: names.map((name) => ({ name, description: name, inputSchema: schema, execute: async (args) => run(name)(args) })),
  hooks: {
    beforeModel: ({ request }) => {
      const { messages } = request;
      let from = messages.length - tail;
      while (from < messages.length && from > 0 && messages[from].role !== 'assistant') from--;
      return from <= head ? undefined : { messages: [...messages.slice(0, head - 1), ...messages.slice(from)] };
    },
  },
});
let begun = false;

await play(async (text) => {
  const result = await (begun ? agent.continue(text) : agent.run(text));
  begun = true;
  return result.outputText;
});
