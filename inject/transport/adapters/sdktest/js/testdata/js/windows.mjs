// History managers of clients that play the whole session too: LangChain's trimming, clearing and summaries, the AI SDK's pruning,
// the sessions of the OpenAI Agents SDK, and its compaction.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatAnthropic } from '@langchain/anthropic';
import { ToolMessage, trimMessages } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, MemorySession, OpenAIResponsesCompactionSession, OpenAIResponsesModel, run as converse, setTracingDisabled, tool as agentTool } from '@openai/agents';
import { generateText, jsonSchema, pruneMessages, stepCountIs, tool } from 'ai';
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent, createMiddleware, summarizationMiddleware } from 'langchain';
import OpenAI from 'openai';
import { form, model, names, play, run, schema, url } from './scene.mjs';

const [client, way, api] = form.split(' ');
const settings = { apiKey: 'key', baseURL: url + '/v1' };
const instructions = 'You are an agent.';

function langchain() {
  const llm =
    api === 'chat'
      ? new ChatOpenAI({ model, apiKey: 'key', configuration: { baseURL: settings.baseURL } })
      : new ChatAnthropic({ model, apiKey: 'key', anthropicApiUrl: url, maxTokens: 4000 });
  const trims = createMiddleware({
    name: 'Trims',
    wrapModelCall: async (request, handler) =>
      handler({
        ...request,
        messages: await trimMessages(request.messages, { maxTokens: 8, tokenCounter: (list) => list.length, strategy: 'last', startOn: ['human', 'ai'] }),
      }),
  });
  const clears = contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { messages: 6 }, keep: { messages: 2 } })] });
  const sums = summarizationMiddleware({ model: llm, trigger: { messages: 7 }, keep: { messages: 4 } });
  const agent = createAgent({
    model: llm,
    tools: names.map((name) => langchainTool(run(name), { name, description: name, schema })),
    systemPrompt: instructions,
    middleware: [
      { trims, clears, sums }[way],
      createMiddleware({
        name: 'Failures',
        wrapToolCall: async (request, handler) => {
          try {
            return await handler(request);
          } catch (e) {
            return new ToolMessage({ content: e.message, tool_call_id: request.toolCall.id, status: 'error' });
          }
        },
      }),
    ],
  });
  let messages = [];
  return async (content) => {
    ({ messages } = await agent.invoke({ messages: [...messages, { role: 'user', content }] }, { recursionLimit: 60 }));
    const last = messages.at(-1).content;
    return typeof last === 'string' ? last : last.at(-1).text;
  };
}

function ai() {
  const tools = Object.fromEntries(names.map((name) => [name, tool({ description: name, inputSchema: jsonSchema(schema), execute: async (args) => run(name)(args) })]));
  const llm = api === 'chat' ? createOpenAI(settings).chat(model) : createAnthropic(settings)(model);
  let messages = [];
  return async (content) => {
    messages.push({ role: 'user', content });
    const r = await generateText({
      model: llm,
      system: instructions,
      messages,
      tools,
      maxRetries: 0,
      stopWhen: stepCountIs(20),
      prepareStep: ({ messages }) => ({ messages: pruneMessages({ messages, reasoning: 'before-last-message', toolCalls: 'before-last-4-messages', emptyMessages: 'remove' }) }),
    });
    messages = [...messages, ...r.response.messages];
    return r.text;
  };
}

function agents() {
  setTracingDisabled(true);
  const client = new OpenAI(settings);
  const agent = new Agent({
    name: 'agent',
    instructions,
    model: new OpenAIResponsesModel(client, model),
    modelSettings: { store: api === 'previous_response_id' },
    tools: names.map((name) =>
      agentTool({ name, description: name, strict: false, parameters: { ...schema, required: [], additionalProperties: true }, execute: run(name) }),
    ),
  });
  const session =
    way === 'compaction'
      ? new OpenAIResponsesCompactionSession({
          client,
          model,
          underlyingSession: new MemorySession(),
          compactionMode: api,
          shouldTriggerCompaction: ({ compactionCandidateItems }) => compactionCandidateItems.length > 8,
        })
      : new MemorySession();
  // the last user turn alone
  const sessionInputCallback = (history, fresh) => {
    const last = history.findLastIndex((item) => item.role === 'user');
    return [...history.slice(Math.max(last, 0)), ...fresh];
  };
  return async (content) => (await converse(agent, content, { session, maxTurns: 20, ...(api === 'window' && { sessionInputCallback }) })).finalOutput;
}

await play({ langchain, ai, agents }[client]());
