// Mastra with its memory: the last messages of a thread.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { z } from 'zod';
import { form, model, names, play, run, url } from '../js/scene.mjs';

const settings = { apiKey: 'key', baseURL: url + '/v1' };
const models = {
  anthropic: () => createAnthropic(settings)(model),
  responses: () => createOpenAI(settings).responses(model),
};
const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: 'You are an agent.',
  model: models[form](),
  tools: Object.fromEntries(
    names.map((name) => [
      name,
      createTool({ id: name, description: name, inputSchema: z.object({ path: z.string() }), execute: async (input) => run(name)(input) }),
    ]),
  ),
  memory: new Memory({ storage: new InMemoryStore(), options: { lastMessages: 2, semanticRecall: false } }),
});

await play(async (text) => {
  const result = await agent.generate(text, { memory: { thread: 'thread', resource: 'person' }, maxSteps: 20 });
  return result.steps.at(-1).text;
});
