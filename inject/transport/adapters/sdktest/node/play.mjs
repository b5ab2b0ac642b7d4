// What the tests say on standard input, a line of JSON each, is done by an agent; what it makes of it goes to standard output.
import { createInterface } from 'node:readline';

export async function play(agent) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { do: what, text, results } = JSON.parse(line);
    let out = {};
    try {
      switch (what) {
        case 'user':
          agent.user(text);
          break;
        case 'results':
          agent.results(results);
          break;
        case 'ask':
          out.answer = await agent.ask();
          break;
        case 'history':
          out.history = JSON.stringify(agent.history());
          break;
      }
    } catch (e) {
      out = { error: String(e), status: e.status ?? 0 };
    }
    process.stdout.write(JSON.stringify(out) + '\n');
  }
}

export const [url, model, stream, retries] = [process.argv[2], process.argv[3], process.argv[4] === 'stream', Number(process.argv[5])];
export const names = ['Read', 'Bash'];
export const schema = { type: 'object', properties: { path: { type: 'string' } } };
