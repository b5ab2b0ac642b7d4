// openai-node: its own runner of tools, on Chat Completions.
import OpenAI from 'openai';
import { model, names, play, run, schema, stream, url } from './scene.mjs';

const client = new OpenAI({ apiKey: 'key', baseURL: url + '/v1' });
// The runner ends with an error of a tool, so the model is told of it in a text.
const attempt = (name) => (args) => {
  try {
    return run(name)(args);
  } catch (e) {
    return `Error: ${e.message}`;
  }
};
const tools = names.map((name) => ({
  type: 'function',
  function: { name, description: name, parameters: schema, parse: JSON.parse, function: attempt(name) },
}));
let messages = [{ role: 'developer', content: 'You are an agent.' }];

await play(async (content) => {
  const runner = client.chat.completions.runTools({ model, stream, tools, messages: [...messages, { role: 'user', content }] }, { maxChatCompletions: 20 });
  const text = await runner.finalContent();
  messages = runner.messages;
  return text;
});
