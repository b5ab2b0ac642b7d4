// Strands Agents with its sliding window: the oldest messages go.
import { Agent, SlidingWindowConversationManager, tool } from '@strands-agents/sdk';
import { AnthropicModel } from '@strands-agents/sdk/models/anthropic';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { form, model, names, play, run, schema, url } from '../js/scene.mjs';

const modelId = model, apiKey = 'key';
const openai = { modelId, apiKey, clientConfig: { baseURL: url + '/v1' } };
const models = {
  anthropic: () => new AnthropicModel({ modelId, apiKey, clientConfig: { baseURL: url }, maxTokens: 4000 }),
  chat: () => new OpenAIModel({ api: 'chat', ...openai }),
  responses: () => new OpenAIModel(openai),
};
const agent = new Agent({
  model: models[form](),
  systemPrompt: 'You are an agent.',
  tools: names.map((name) => tool({ name, description: name, inputSchema: schema, callback: run(name) })),
  conversationManager: new SlidingWindowConversationManager({ windowSize: 6 }),
  printer: false,
});

await play(async (text) => {
  const { lastMessage } = await agent.invoke(text);
  return lastMessage.content.map((b) => (b.type === 'textBlock' ? b.text : '')).join('');
});
