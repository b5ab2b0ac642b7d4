// @google/genai: Interactions, with the server keeping the conversation, or in full.
import { GoogleGenAI } from '@google/genai';
import { form, model, names, play, run, schema, stream, url } from '../js/scene.mjs';

const ai = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } });
const tools = names.map((name) => ({ type: 'function', name, description: name, parameters: schema }));
const full = form.includes('full');
let previous, input = [];

async function create() {
  const body = { model, input, tools, system_instruction: 'You are an agent.', store: !full };
  if (previous) body.previous_interaction_id = previous;
  if (!stream) {
    const r = await ai.interactions.create(body);
    return { id: r.id, steps: r.steps };
  }
  const out = { steps: [] };
  for await (const e of await ai.interactions.create({ ...body, stream })) {
    const s = out.steps[e.index];
    if (e.event_type === 'interaction.completed') out.id = e.interaction.id;
    if (e.event_type === 'step.start') out.steps[e.index] = { ...e.step, args: '' };
    if (e.event_type !== 'step.delta') continue;
    if (e.delta.type === 'text') s.content = [{ type: 'text', text: (s.content?.[0].text ?? '') + e.delta.text }];
    if (e.delta.type === 'arguments_delta') s.args += e.delta.arguments;
  }
  for (const s of out.steps) {
    if (s.type === 'function_call') s.arguments = JSON.parse(s.args);
    delete s.args;
  }
  return out;
}

const result = ({ id, name, arguments: args }) => {
  const step = { type: 'function_result', call_id: id, name };
  try {
    return { ...step, result: run(name)(args) };
  } catch (e) {
    return { ...step, result: e.message, is_error: true };
  }
};

await play(async (prompt) => {
  const say = [{ type: 'user_input', content: [{ type: 'text', text: prompt }] }];
  input = full ? [...input, ...say] : prompt;
  for (;;) {
    const r = await create();
    const results = r.steps.filter((s) => s.type === 'function_call').map(result);
    if (full) input = [...input, ...r.steps, ...results];
    else [previous, input] = [r.id, results];
    if (results.length === 0) return r.steps.flatMap((s) => s.content ?? []).map((c) => c.text).join('');
  }
});
