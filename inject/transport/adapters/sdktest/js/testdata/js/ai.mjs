// Vercel AI SDK: generateText and streamText, on three APIs.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { form, model, names, play, run, schema, stream, url } from './scene.mjs';

const apiKey = 'key';
const openai = createOpenAI({ apiKey, baseURL: url + '/v1' });
const [api] = form.split(' ');
const models = {
  anthropic: () => createAnthropic({ apiKey, baseURL: url + '/v1' })(model),
  chat: () => openai.chat(model),
  responses: () => openai.responses(model),
  gemini: () => createGoogleGenerativeAI({ apiKey, baseURL: url + '/v1beta' })(model),
};
const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } };
const tools = Object.fromEntries(
  names.map((name) => [name, tool({ description: name, inputSchema: jsonSchema(schema), execute: run(name) })]),
);
const messages = [];

await play(async (content) => {
  messages.push({ role: 'user', content });
  const options = { model: models[api](), system: 'You are an agent.', tools, messages, stopWhen: stepCountIs(20), providerOptions: thinking };
  const done = stream ? streamText(options) : await generateText(options);
  const text = await done.text;
  messages.push(...(await done.responseMessages));
  return text;
});
