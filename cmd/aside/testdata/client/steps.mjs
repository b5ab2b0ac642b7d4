// Goes through the steps of client/conformance, and prints what came of each. TestClientLife compares.
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Aside, serve } from '../../client/typescript/index.js';

const [steps, dir, fake] = process.argv.slice(2);
process.chdir(dir);
const ids = (d) => ({ fired: d.fired.map((f) => f.id), kept: d.kept });
const attempt = (ask) => ask().catch((e) => ({ error: e.errors ? e.errors.join('; ') : `not ours: ${e.stack}` }));
const alive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const within = async (holds) => {
  for (let i = 0; i < 500 && !holds(); i++) await pause(20);
  return holds();
};

let it;
let pids = [];
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const codes = () => it.diagnostics.map((d) => d.code);
const does = {
  open: async ({ with: options }) => {
    if (options.command === 'fake') options = { ...options, command: fake };
    it = new Aside({ ...options, onRules: () => {} });
    pids.push(it.pid);
    await it.ready();
    return it.state;
  },
  serve: async ({ with: options }) => {
    it = await serve(options);
    pids.push(it.pid);
    return it.state;
  },
  rules: async () => it.rules,
  diagnostics: async () => codes(),
  state: async () => it.state,
  decide: async ({ run, turn, timeout }) => ids(await it.decide(run, turn, { timeout })),
  remind: async ({ run, id }) => (await it.remind(run, id), 'ok'),
  why: async ({ run, id }) => (await it.why(run, id)).reminders[0].id,
  write: async ({ file, text }) => void (await writeFile(file, text)),
  await: async ({ rules, diagnostics }) => within(() => (rules ? same(it.rules, rules) : same(codes(), diagnostics))),
  kill: async () => {
    process.kill(it.pid, 'SIGKILL');
    await within(() => it.state === 'failed');
    return it.state;
  },
  together: async ({ turns }) => Promise.all(turns.map((turn) => attempt(async () => ids(await it.decide('r', turn))))),
  closing: async ({ turn }) => {
    const waiting = attempt(async () => ids(await it.decide('r', turn)));
    await pause(50);
    await it.close();
    return waiting;
  },
  faults: async ({ kinds, rounds, timeout }) => {
    let [settled, late, seed] = [0, 0, 1];
    for (let i = 0; i < rounds; i++) {
      seed = (seed * 48271) % 2147483647;
      const began = Date.now();
      await attempt(async () => it.decide('r', { key: kinds[seed % kinds.length] }, { timeout }));
      settled++;
      if (Date.now() - began > timeout + 3000) late++;
      if (pids.at(-1) !== it.pid) pids.push(it.pid);
    }
    return { settled, late };
  },
  close: async () => (await it.close(), 'ok'),
  gone: async () => within(() => !pids.some((pid) => pid !== undefined && alive(pid))),
};

const out = [];
for (const { scenario, steps: list } of JSON.parse(await readFile(steps, 'utf8'))) {
  pids = [];
  for (const step of list) out.push({ scenario, step, got: (await attempt(() => does[step.do](step))) ?? null });
}
console.log(JSON.stringify(out));
