// Says the same to aside over both ways, and prints what came back. TestClients plays play.py beside it.
import { Aside } from '../../client/typescript/index.js';

const [rules, url, ...others] = process.argv.slice(2);

for (const options of [{ rules, state: 'memory' }, { url }]) {
  const aside = new Aside(options);
  const out = [];
  const trial = async (ask) => out.push(await ask().catch((e) => ({ refused: e.errors.join('; ').replace(/did you mean.*/, '') })));
  const ids = (d) => ({ fired: d.fired.map((f) => f.id), kept: d.kept, paused: d.paused ?? [] });
  await trial(async () => ids(await aside.decide('r/1', { facts: { context_usage: 0.8 }, key: 'a' })));
  await trial(async () => ids(await aside.decide('r/1', { facts: { context_usage: 0.8 }, key: 'a' })));
  await trial(async () => ids(await aside.decide('r/1', { events: [{ user_message: 'ü' }, { call: { tool: 'Bash', command: 'go test', failed: true } }] })));
  await trial(async () => ids(await aside.decide('r/1', { before: { tool: 'Bash', command: 'git push --force' } })));
  await trial(async () => ids(await aside.decide('r/1', { facts: { context_usge: 0.8 } })));
  await trial(async () => (await aside.remind('r/1', 'plan'), 'queued'));
  await trial(async () => (await aside.remind('r/1', 'plam'), 'queued'));
  const messages = [{ role: 'user', content: 'Why?' }];
  await trial(async () => {
    const { request, fired } = await aside.request('r/2', { messages });
    return [fired.map((f) => f.id), JSON.stringify(request).includes('Answer briefly.'), messages.length];
  });
  await trial(async () => (await aside.request('r/2', { messages })).fired.length);
  await trial(async () => ids(await aside.decide('r/1')));
  await trial(async () => (await aside.why('r/1', 'plan')).reminders.map((r) => [r.id, r.fired, r.why]));
  await trial(async () => (await aside.why('none')).turn);
  console.log(JSON.stringify(out));
  await aside.close();
}

const out = [];
for (const other of others) await new Aside({ url: other }).decide('r').catch((e) => out.push({ refused: e.errors.join('; ') }));
console.log(JSON.stringify(out));
