// OpenAI Agents SDK: with the history in each request, and with the history at the server; where RULES are given, through
// the fetch of the client.
import { Agent, OpenAIResponsesModel, run as converse, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { form, model, names, play, run, schema, stream, url } from './scene.mjs';

setTracingDisabled(true);
const chained = form.includes('chained');
const server = process.env.RULES && (await (await import('@aside/client')).serve({ rules: process.env.RULES, state: 'memory', upstream: { openai: url } }));
const client = new OpenAI({ apiKey: 'key', baseURL: url + '/v1', fetch: server?.fetch('r') });
const agent = new Agent({
  name: 'agent',
  instructions: 'You are an agent.',
  model: new OpenAIResponsesModel(client, model),
  modelSettings: { store: chained },
  tools: names.map((name) =>
    tool({ name, description: name, strict: false, parameters: { ...schema, required: [], additionalProperties: true }, execute: run(name) }),
  ),
});
let history = [];
let previousResponseId;

await play(async (content) => {
  const ask = { role: 'user', content };
  const result = await converse(agent, chained ? [ask] : [...history, ask], { stream, previousResponseId, maxTurns: 20 });
  if (stream) await result.completed;
  if (chained) previousResponseId = result.lastResponseId;
  history = result.history;
  return result.finalOutput;
});
console.error('HISTORY ' + JSON.stringify(history));
await server?.close();
