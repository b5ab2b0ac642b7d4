// LangChain's createAgent with the middleware of the client, and LangGraph's createReactAgent with a hook.
import { Aside } from '@aside/client';
import { reminders, withReminders } from '@aside/client/langchain';
import { ChatAnthropic } from '@langchain/anthropic';
import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, createMiddleware } from 'langchain';
import { form, model, names, play, run, schema, stream, url } from './scene.mjs';

const aside = new Aside({ rules: process.env.RULES, state: 'memory' });
const apiKey = 'key';
const [api, graph] = form.split(' ');
const llms = {
  anthropic: () => new ChatAnthropic({ model, apiKey, anthropicApiUrl: url, streaming: stream, maxTokens: 4000 }),
  chat: () => new ChatOpenAI({ model, apiKey, streaming: stream, configuration: { baseURL: url + '/v1' } }),
};
const tools = names.map((name) => tool(run(name), { name, description: name, schema }));
// A tool that fails is told as such.
const failures = createMiddleware({
  name: 'Failures',
  wrapToolCall: async (request, handler) => {
    try {
      return await handler(request);
    } catch (e) {
      return new ToolMessage({ content: e.message, tool_call_id: request.toolCall.id, name: request.toolCall.name, status: 'error' });
    }
  },
});
const llm = llms[api]();
const agent =
  graph === 'graph'
    ? createReactAgent({ llm, tools, prompt: 'You are an agent.', preModelHook: async (s) => ({ llmInputMessages: await withReminders(aside, s.messages, { run: 'r' }) }) })
    : createAgent({ model: llm, tools, systemPrompt: 'You are an agent.', middleware: [reminders(aside), failures] });
let messages = [];

await play(async (content) => {
  ({ messages } = await agent.invoke({ messages: [...messages, { role: 'user', content }] }, { recursionLimit: 60 }));
  const last = messages.at(-1).content;
  return typeof last === 'string' ? last : last.at(-1).text;
});
console.error('HISTORY ' + JSON.stringify(messages));
