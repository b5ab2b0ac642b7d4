// LangChain JS: LangGraph's ready-made agent, on four APIs.
import { ChatAnthropic } from '@langchain/anthropic';
import { tool } from '@langchain/core/tools';
import { ChatGoogle } from '@langchain/google';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { form, model, names, play, run, schema, stream, url } from './scene.mjs';

const apiKey = 'key';
const [api] = form.split(' ');
const openai = { model, apiKey, streaming: stream, configuration: { baseURL: url + '/v1' } };
const llms = {
  anthropic: () => new ChatAnthropic({ model, apiKey, anthropicApiUrl: url, streaming: stream, maxTokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
  chat: () => new ChatOpenAI(openai),
  responses: () => new ChatOpenAI({ ...openai, useResponsesApi: true }),
  gemini: () => new ChatGoogle({ model, apiKey, endpoint: url, streaming: stream }),
};
const agent = createReactAgent({
  llm: llms[api](),
  tools: names.map((name) => tool(run(name), { name, description: name, schema })),
  prompt: 'You are an agent.',
});
let messages = [];

await play(async (content) => {
  ({ messages } = await agent.invoke({ messages: [...messages, { role: 'user', content }] }, { recursionLimit: 60 }));
  const last = messages.at(-1).content;
  return typeof last === 'string' ? last : last.at(-1).text;
});
