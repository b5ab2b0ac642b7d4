// Middleware for LangChain's createAgent, and the messages to send for nodes of LangGraph.
import { HumanMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { copy } from './copy.js';

/** createAgent({ model, tools, middleware: [reminders(aside, { run })] }) */
export const reminders = (aside, options) =>
  createMiddleware({
    name: 'Reminders',
    wrapModelCall: async (request, handler) => {
      const system = request.systemMessage?.text ? [request.systemMessage] : [];
      const all = await withReminders(aside, [...system, ...request.messages], options);
      return handler({ ...request, ...(system.length > 0 && { systemMessage: all.shift() }), messages: all });
    },
  });

/** For a graph of your own: model.invoke(await withReminders(aside, state.messages, { run })) */
export function withReminders(aside, messages, { run } = {}) {
  const usage = messages.findLast((m) => m.getType() === 'ai')?.usage_metadata;
  const facts = usage && { context_tokens: usage.input_tokens, last_response_tokens: usage.output_tokens };
  return copy(aside, messages, form, { run, facts });
}

const roles = { human: 'user', ai: 'assistant', tool: 'tool', system: 'system' };

const form = {
  generic(m) {
    const content = typeof m.content === 'string' ? [{ type: 'text', text: m.content }] : m.content.map(block);
    for (const c of m.tool_calls ?? []) content.push({ type: 'tool_use', id: c.id, name: c.name, input: c.args });
    const role = roles[m.getType()] ?? 'user';
    return { role, content, ...(role === 'tool' && { tool_call_id: m.tool_call_id, is_error: m.status === 'error' }) };
  },

  fresh: (text) => new HumanMessage(text),

  put(m, blocks) {
    const parts = typeof m.content === 'string' ? [{ type: 'text', text: m.content }] : m.content;
    const own = blocks.filter((b) => b.at < parts.length).map((b) => (parts[b.at].type === 'text' ? { ...parts[b.at], text: b.text } : parts[b.at]));
    const ours = blocks.filter((b) => b.at === undefined).map(({ text }) => ({ type: 'text', text }));
    if (m.getType() !== 'tool') return [withContent(m, [...own, ...ours])];
    return ours.length > 0 ? [withContent(m, own), new HumanMessage({ content: ours })] : [withContent(m, own)];
  },
};

/** A block without what facts do not need: calls are those of tool_calls. */
const block = ({ type, text }) => (type === 'text' ? { type, text } : { type: `other_${type}` });

/** A copy of a message. Content that was a string stays one. */
function withContent(m, content) {
  const one = typeof m.content === 'string' && content.length === 1;
  return Object.assign(Object.create(Object.getPrototypeOf(m)), m, { content: one ? content[0].text : content });
}
