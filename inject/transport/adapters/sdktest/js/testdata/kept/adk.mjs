// Google's ADK with Interactions: it sends what is new alone.
import { FunctionTool, Gemini, InMemoryRunner, LlmAgent, StreamingMode } from '@google/adk';
import { form, model, names, play, run, schema, stream, url } from '../js/scene.mjs';

process.env.GOOGLE_GEMINI_BASE_URL = url;
const tools = names.map((name) => new FunctionTool({
  name,
  description: name,
  parameters: { type: 'OBJECT', properties: { path: { type: 'STRING' } } },
  execute: (args) => {
    try {
      return { output: run(name)(args) };
    } catch (e) {
      return { error: e.message };
    }
  },
}));
const agent = new LlmAgent({
  name: 'agent',
  model: new Gemini({ model, apiKey: 'key', useInteractionsApi: form.includes('interactions') }),
  instruction: 'You are an agent.',
  tools,
});
const runner = new InMemoryRunner({ agent, appName: 'scene' });
const session = await runner.sessionService.createSession({ appName: 'scene', userId: 'user' });

await play(async (text) => {
  let said = '';
  for await (const e of runner.runAsync({
    userId: 'user',
    sessionId: session.id,
    newMessage: { role: 'user', parts: [{ text }] },
    runConfig: { streamingMode: stream ? StreamingMode.SSE : StreamingMode.NONE },
  })) {
    const parts = e.content?.parts ?? [];
    if (!e.partial && parts.some((p) => p.text)) said = parts.map((p) => (p.thought ? '' : p.text ?? '')).join('');
  }
  return said;
});
