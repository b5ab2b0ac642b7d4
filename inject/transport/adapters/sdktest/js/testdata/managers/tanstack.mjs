// TanStack AI, whose host keeps the last text of each user turn alone.
import { chat, maxIterations, toolDefinition } from '@tanstack/ai';
import { createAnthropicChat } from '@tanstack/ai-anthropic';
import { createOpenaiChat } from '@tanstack/ai-openai';
import { form, model, names, play, run, schema, url } from '../js/scene.mjs';

const adapters = {
  anthropic: () => createAnthropicChat(model, 'key', { baseURL: url }),
  responses: () => createOpenaiChat(model, 'key', { baseURL: url + '/v1' }),
};
const tools = names.map((name) => toolDefinition({ name, description: name, inputSchema: schema }).server(run(name)));
const messages = [];

await play(async (content) => {
  messages.push({ role: 'user', content });
  let said = '';
  for await (const e of chat({
    adapter: adapters[form](),
    messages: [...messages],
    systemPrompts: ['You are an agent.'],
    tools,
    agentLoopStrategy: maxIterations(20),
  })) {
    if (e.type === 'TEXT_MESSAGE_START') said = '';
    if (e.type === 'TEXT_MESSAGE_CONTENT') said += e.delta;
  }
  messages.push({ role: 'assistant', content: said });
  return said;
});
