// Vercel AI SDK with the middleware of the client: generateText and streamText.
import { Aside } from '@aside/client';
import { reminders } from '@aside/client/ai-sdk';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { form, model, names, play, run, schema, stream, url } from './scene.mjs';

const apiKey = 'key';
const aside = new Aside({ rules: process.env.RULES, state: 'memory' });
const models = {
  anthropic: () => createAnthropic({ apiKey, baseURL: url + '/v1' })(model),
  chat: () => createOpenAI({ apiKey, baseURL: url + '/v1' }).chat(model),
};
const wrapped = wrapLanguageModel({ model: models[form.split(' ')[0]](), middleware: reminders(aside, { run: 'r' }) });
const tools = Object.fromEntries(
  names.map((name) => [name, tool({ description: name, inputSchema: jsonSchema(schema), execute: run(name) })]),
);
const messages = [];

await play(async (content) => {
  messages.push({ role: 'user', content });
  const options = { model: wrapped, system: 'You are an agent.', tools, messages, stopWhen: stepCountIs(20) };
  const done = stream ? streamText(options) : await generateText(options);
  const text = await done.text;
  messages.push(...(await done.responseMessages));
  return text;
});
console.error('HISTORY ' + JSON.stringify(messages));
