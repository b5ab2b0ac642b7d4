// What was recorded and decided. The form of it is told in page.go of package report; here it becomes what the page asks for.
let D, rules, runs;
const text = (i) => D.strings[i];
const adopt = (data) => {
  D = data;
  rules = D.rules;
  runs = D.runs.map((r, k) => ({ ...r, k, ready: false, below: [] }));
  const named = new Map(runs.map((r) => [r.id, r]));
  for (const r of runs) {
    r.parent = r.id.includes('/') ? named.get(r.id.split('/')[0]) : undefined;
    if (r.parent) r.parent.below.push(r);
  }
};
// born is the turn on which the parent of a subagent's run began it: that of its latest model call before. -1 where no times tell.
const born = (r) => {
  const p = r.parent;
  if (!p || !r.start || !open(p).times) return -1;
  return Math.max(lower(p.times, r.start + 1, (t) => t) - 1, 0);
};
// title is how a person knows a run: by its first message; a subagent by its kind.
const title = (r, n) => {
  const first = (r.prompts || [])[0];
  return r.parent ? r.thread : first ? short(text(first[1]), n) : brief(r.id);
};
const tiers = ['safety', 'correctness', 'guidance'];

const column = (run, rows) => new Map((rows || []).map((row) => [row[0], row]));

// at returns the second of the last pair that does not lie behind a turn.
const at = (pairs, turn) => {
  const i = lower(pairs || [], turn + 1, (p) => p[0]) - 1;
  return i < 0 ? undefined : pairs[i][1];
};

// open fills in what is derived of a run, when it is first looked at.
const open = (r) => {
  if (r.ready) return r;
  r.ready = true;
  let sum = 0;
  r.context = r.tokens.map((d) => (sum += d));
  if (r.waits) {
    let t = r.start || 0;
    r.times = r.waits.map((d) => (t += d));
    let latest = r.times[0] - 1; // clocks go back, and turns share a second
    if (r.start && r.times[r.n - 1] > r.times[0]) r.passed = r.times.map((at) => (latest = Math.max(at, latest + 0.001)));
  }
  r.callsOn = column(r, r.calls);
  r.fires = (r.fires || []).map(([rule, turn, tokens, said, why, parts, manual]) => ({ kind: 'fire', run: r, rule, turn, last: turn, tokens, text: text(said), why: text(why), parts, manual: !!manual }));
  r.held = (r.held || []).map(([rule, turn, last, why]) => ({ kind: 'held', run: r, rule, turn, last, why: text(why) }));
  r.errors = (r.errors || []).map(([rule, turn, last, why]) => ({ kind: 'wrong', run: r, rule, turn, last, why: text(why) }));
  r.said = (r.prompts || []).map(([turn, t]) => ({ kind: 'said', run: r, turn, last: turn, text: text(t) }));
  r.compact = r.compact || [];
  r.resumed = r.resumed || [];
  r.tools = new Map();
  for (const row of r.calls || []) {
    for (let i = 1; i < row.length; i += 3) {
      let t = r.tools.get(row[i]);
      if (!t) r.tools.set(row[i], t = { name: text(row[i]), place: row[i], calls: 0, failed: 0, turns: [] });
      t.calls += row[i + 1];
      t.failed += row[i + 2];
      t.turns.push([row[0], row[i + 1], row[i + 2]]);
    }
  }
  r.ranked = [...r.tools.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
  const seen = r.usage.some((u) => u >= 0);
  r.top = seen ? Math.max(1000, ...maxima(r.usage)) : Math.max(0, ...maxima(r.context));
  r.curve = seen ? r.usage : r.top > 0 ? r.context : null;
  r.relative = seen;
  return r;
};

// maxima returns a few numbers of which the greatest is that of the list: spreading a long list would overflow the stack.
const maxima = (list) => [list.reduce((a, b) => Math.max(a, b), 0)];

const called = (r, turn) => {
  const row = r.callsOn.get(turn), out = [];
  for (let i = 1; row && i < row.length; i += 3) out.push({ name: text(row[i]), place: row[i], n: row[i + 1], failed: row[i + 2] });
  return out;
};
const calledWords = (calls) => calls.map((c) => c.name + (c.n > 1 ? ' ×' + c.n : '') + (c.failed ? c.n === c.failed ? ' failed' : ' (' + c.failed + ' failed)' : '')).join(', ');
const contextWords = (r, turn) => {
  if (r.usage[turn] >= 0) return 'context ' + percent(r.usage[turn]);
  if (r.context[turn] > 0) return num(r.context[turn]) + ' tokens in the context';
  return 'context unknown';
};
const timeOf = (r, turn) => r.times && r.times[turn] ? clock(r.times[turn]) : '';
const turnWords = (r, turn) => {
  const out = ['turn ' + num(turn + 1)];
  if (timeOf(r, turn)) out.push(timeOf(r, turn));
  out.push(contextWords(r, turn));
  if (r.compact.includes(turn)) out.push('history compacted');
  if (r.resumed.includes(turn)) out.push('session resumed');
  const calls = called(r, turn);
  if (calls.length) out.push(calledWords(calls));
  const fired = r.fires.filter((f) => f.turn === turn).length;
  if (fired) out.push(count(fired, 'reminder') + ' fired');
  if (r.said.some((m) => m.turn === turn)) out.push('a message of the user');
  return out.join(', ');
};

// nameOf is how a run is called in short: sessions are named by a long number of which the beginning is enough.
const brief = (id) => id.split('/').map((part) => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(part) ? part.slice(0, 8) : part)).join(' / ');
const baseName = (path) => path.split(/[\\/]/).pop();
