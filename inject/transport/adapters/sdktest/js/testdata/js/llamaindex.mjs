// LlamaIndex TS: its ready-made agent, on OpenAI Chat.
import { openai } from '@llamaindex/openai';
import { agent } from '@llamaindex/workflow';
import { tool } from 'llamaindex';
import { model, names, play, run, schema, url } from './scene.mjs';

const llm = openai({ model, apiKey: 'key', baseURL: url + '/v1' });
const tools = names.map((name) => tool({ name, description: name, parameters: schema, execute: run(name) }));
const a = agent({ llm, tools, systemPrompt: 'You are an agent.' });
let state;

await play(async (prompt) => {
  const { data } = await a.run(prompt, { state });
  ({ state } = data);
  return data.result;
});
