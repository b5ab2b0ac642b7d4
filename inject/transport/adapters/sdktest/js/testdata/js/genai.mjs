// @google/genai: a chat, with the loop of tools that its documentation shows.
import { GoogleGenAI } from '@google/genai';
import { model, names, play, run, schema, stream, url } from './scene.mjs';

const ai = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url, retryOptions: { attempts: 2 } } });
const functionDeclarations = names.map((name) => ({ name, description: name, parametersJsonSchema: schema }));
const chat = ai.chats.create({ model, config: { systemInstruction: 'You are an agent.', tools: [{ functionDeclarations }] } });

async function send(message) {
  if (!stream) {
    const r = await chat.sendMessage({ message });
    return { text: r.text ?? '', calls: r.functionCalls ?? [] };
  }
  let text = '';
  const calls = [];
  for await (const r of await chat.sendMessageStream({ message })) {
    text += r.text ?? '';
    calls.push(...(r.functionCalls ?? []));
  }
  return { text, calls };
}

const answer = ({ id, name, args }) => {
  let response;
  try {
    response = { output: run(name)(args) };
  } catch (e) {
    response = { error: e.message };
  }
  return { functionResponse: { id, name, response } };
};

await play(async (prompt) => {
  let r = await send(prompt);
  while (r.calls.length > 0) r = await send(r.calls.map(answer));
  return r.text;
});
