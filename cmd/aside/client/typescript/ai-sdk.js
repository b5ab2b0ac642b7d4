// Middleware for the Vercel AI SDK: wrapLanguageModel({ model, middleware: reminders(aside, { run }) }).
import { copy } from './copy.js';

export function reminders(aside, { run } = {}) {
  let facts; // that the latest response of the run has told
  const told = (usage) => {
    const count = (tokens) => tokens?.total ?? tokens;
    facts = run && { context_tokens: count(usage.inputTokens), last_response_tokens: count(usage.outputTokens) };
  };
  return {
    specificationVersion: 'v3',
    async transformParams({ params, model }) {
      return { ...params, prompt: await copy(aside, params.prompt, form, { run, model: model?.modelId, facts }) };
    },
    async wrapGenerate({ doGenerate }) {
      const result = await doGenerate();
      told(result.usage);
      return result;
    },
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      const look = new TransformStream({
        transform(part, controller) {
          if (part.type === 'finish') told(part.usage);
          controller.enqueue(part);
        },
      });
      return { stream: stream.pipeThrough(look), ...rest };
    },
  };
}

const text = (text) => ({ type: 'text', text });

const form = {
  generic: ({ role, content }) =>
    typeof content === 'string'
      ? { role, content: [text(content)] }
      : { role: role === 'tool' ? 'user' : role, content: content.map(block) },

  fresh: (content) => ({ role: 'system', content }),

  put(message, blocks) {
    const { role, content } = message;
    if (role === 'system') return [{ ...message, content: blocks.map((b) => b.text).join('\n\n') }];
    if (role !== 'tool') return [{ ...message, content: blocks.map((b) => (b.at === undefined ? text(b.text) : part(content[b.at], b))) }];
    const results = blocks.filter((b) => b.at !== undefined);
    const ours = blocks.filter((b) => b.at === undefined);
    const own = { ...message, content: results.map((b) => part(content[b.at], b)) };
    return ours.length > 0 ? [own, { role: 'user', content: ours.map((b) => text(b.text)) }] : [own];
  },
};

/** A part as a block of the generic shape. */
function block(part) {
  switch (part.type) {
    case 'tool-call':
      return { type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input };
    case 'tool-result': {
      const { type, value } = part.output;
      const content = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return { type: 'tool_result', tool_use_id: part.toolCallId, content, is_error: type.startsWith('error') };
    }
    case 'reasoning':
      return { type: 'thinking', thinking: part.text };
    default:
      return part.type === 'text' ? text(part.text) : { type: part.type };
  }
}

/** A part whose text may be another one: a tag in it was made harmless. */
function part(was, block) {
  if (was.type === 'text') return { ...was, text: block.text };
  const { output } = was;
  if (was.type === 'tool-result' && typeof output.value === 'string') return { ...was, output: { ...output, value: block.content } };
  return was;
}
