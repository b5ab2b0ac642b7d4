// The inspector: runs as they go on, and all about the one that is chosen. The server tells what has changed; the page asks for the
// chosen run when it is ready for it, so it is never behind by more than one answer.
const live = { runs: new Map(), rows: new Map(), waiting: [], places: new Map(), chosen: null, shown: null, due: false, asking: false, wait: 250, tried: [], said: new Map(), saidOf: 0, unfolded: false, opened: new Set() };
let token = '';
try { token = sessionStorage.getItem('aside-token') || ''; } catch { /* then for this page alone */ }

const named = (run) => encodeURIComponent(run).replace(/\./g, '%2E');
const ask = async (path, options) => {
  const res = await fetch(path, { ...options, cache: 'no-store', headers: token ? { 'X-Aside-Token': token } : {} });
  if (res.status === 401 || res.status === 403) { gate(await res.text()); throw new Error('not allowed'); }
  return res;
};
const complain = (text) => { $('notice').hidden = !text; if ($('notice').textContent !== text) $('notice').textContent = text; };
const gate = (why) => {
  $('gate').hidden = why.includes('has not the scope');
  document.documentElement.dataset.ready = 'true';
  complain(why.trim());
};
$('gate').addEventListener('submit', (ev) => {
  ev.preventDefault();
  token = $('token').value;
  try { sessionStorage.setItem('aside-token', token); } catch { /* then for this page alone */ }
  $('gate').hidden = true;
  complain('');
  follow();
});

// The list of runs. A run keeps its place while it goes on, and a new one waits while the pointer or the focus is in the list: what
// moves is hard to press.
const zeroTime = (at) => !at || at.startsWith('0001');
const heededWords = (heeded, ignored) => (heeded || ignored ? num(heeded) + ' heeded, ' + num(ignored) + ' ignored' : '');
const fill = (row, r) => {
  const [name, facts, curve, wide, turns, fires, heeded] = row.children;
  name.replaceChildren(h('b', {}, words(brief(r.run))));
  facts.replaceChildren(h('small', {}, words(r.model || r.api || ''), r.passed ? h('span', { class: 'passed' }, ' not read: ' + r.passed) : r.status >= 400 ? h('span', { class: 'passed' }, ' status ' + r.status) : ''));
  wide.textContent = zeroTime(r.at) ? '' : r.at.slice(11, 19);
  turns.textContent = count(r.turns, 'turn');
  fires.textContent = count(r.fires, 'firing');
  heeded.textContent = heededWords(r.heeded, r.ignored);
  curve.replaceChildren(r.curve.length > 1 ? spark({ usage: r.curve, n: r.curve.length, fires: r.marks.map((step) => [0, step]) }) : '');
};
const busy = () => $('live-runs').matches(':hover') || $('live-runs').contains(document.activeElement);
const enter = () => {
  if (!live.waiting.length || busy()) return;
  $('live-runs').prepend(...live.waiting);
  live.waiting = [];
};
for (const left of ['pointerleave', 'focusout']) $('live-runs').addEventListener(left, () => setTimeout(enter, 0));
const listRuns = (changed) => {
  const q = $('run-query').value.trim().toLowerCase(), fresh = [], had = live.rows.size > 0;
  for (const r of changed) {
    live.runs.set(r.run, r);
    let row = live.rows.get(r.run);
    if (!row) {
      row = h('a', { class: 'run', href: '#' + named(r.run) }, h('span', {}), h('span', {}), h('span', { class: 'curve-of' }), h('span', { class: 'num wide' }), h('span', { class: 'num turns' }), h('span', { class: 'num' }), h('span', { class: 'num heeded' }));
      live.rows.set(r.run, row);
      fresh.push(h('li', {}, row));
    }
    fill(row, r);
  }
  live.waiting.unshift(...fresh);
  if (had) enter(); else { $('live-runs').prepend(...live.waiting); live.waiting = []; }
  while (live.rows.size > 300 && $('live-runs').lastChild) { // the server keeps fewer
    const last = $('live-runs').lastChild, run = [...live.rows].find(([, row]) => row === last.firstChild)[0];
    if (run === live.chosen) break;
    last.remove();
    live.rows.delete(run);
    live.runs.delete(run);
  }
  for (const [run, b] of live.rows) {
    b.parentElement.hidden = q !== '' && !holds(run + ' ' + (live.runs.get(run).model || ''), q);
    if (run === live.chosen) b.setAttribute('aria-current', 'true'); else b.removeAttribute('aria-current');
  }
  $('run-search').hidden = live.runs.size < 8;
  $('runs-note').textContent = live.runs.size ? count(live.runs.size, 'run') + (live.waiting.length ? ', ' + num(live.waiting.length) + ' of them new' : '') : 'No run has had a turn since the start. Point an agent here, and its runs stand here as they go on.';
};
$('run-query').addEventListener('input', () => listRuns([]));

// cover asks what became of the requests that called a model.
const cover = async () => {
  try {
    const res = await ask('/aside/coverage'), lines = res.ok && await res.json() || [];
    $('coverage').hidden = !lines.length;
    $('coverage').replaceChildren(...lines.map((line) => h('li', {}, words(line))));
  } catch { /* the stream says that nobody answers */ }
};

// follow reads the stream of events, for as long as the page is open. EventSource could not show a token.
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const linked = (on) => { $('link').toggleAttribute('data-on', on); const said = on ? 'live' : 'not connected'; if ($('link').textContent !== said) $('link').textContent = said; };
const apply = (changed) => {
  listRuns(changed);
  cover();
  if (changed.some((r) => r.run === live.chosen)) due();
  if (!performance.getEntriesByName('runs').length) performance.mark('runs');
  document.documentElement.dataset.ready = 'true';
};
let following = false;
const follow = async () => {
  if (following) return;
  following = true;
  for (;;) {
    try {
      const res = await ask('/aside/events');
      if (res.ok) {
        linked(true);
        const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = '';
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          const parts = (rest + value).split('\n\n');
          rest = parts.pop();
          for (const p of parts) if (p.startsWith('data: ')) apply(JSON.parse(p.slice(6)));
        }
      }
    } catch (e) {
      if (e.message === 'not allowed') { following = false; linked(false); return; }
    }
    linked(false);
    await pause(2000);
  }
};

// due has the chosen run asked for again: at once, or when the answer before is drawn and a pause that grows with the run is over.
const due = () => { live.due = true; if (!live.asking) refresh(); };
const refresh = async () => {
  live.asking = true;
  while (live.due && live.chosen !== null) {
    live.due = false;
    const run = live.chosen, began = performance.now(), drops = live.drops;
    live.drops = false;
    try {
      const has = !drops && live.shown && live.shown.run === run ? live.shown : null;
      const res = await ask('/aside/runs/' + named(run) + (has ? '?edition=' + has.edition + '&turns=' + has.n + '&results=' + has.results.length : ''));
      if (!res.ok) break;
      const shown = await res.json();
      if (run !== live.chosen) continue;
      if (!shown) { complain('This run is not kept any more, or has had no turn since the start.'); break; }
      if (shown.from > 0) {
        shown.data = extend(D, shown.data, shown.from);
        shown.results = [...has.results, ...shown.results];
      }
      clearTimeout(live.forgets); // words that the server drops go from the page: it asks for all anew
      if (shown.left) live.forgets = setTimeout(() => { live.drops = true; due(); }, Math.min(Math.max(shown.left, 1000), 2 ** 31 - 1));
      if (drops) live.saidOf = 0;
      shown.n = shown.data.runs.length ? shown.data.runs[0].n : 0;
      complain('');
      show(shown, drops);
      await states();
    } catch {
      if (drops) { // nobody answers
        live.shown = null;
        live.said.clear();
        $('chosen').hidden = true;
      }
      break;
    }
    await pause(Math.max(live.wait, 4 * (performance.now() - began)));
  }
  live.asking = false;
};

// show draws a run anew. What was chosen, zoomed to or had the focus stays so.
const show = (shown, drops) => {
  const first = !live.shown || live.shown.run !== shown.run, was = view.run, chosen = view.chosen, whole = first || view.to - view.from >= was.n - 0.01;
  const id = chosen && chosen.rule !== undefined ? rules[chosen.rule].id : null;
  live.shown = shown;
  adopt(shown.data);
  $('chosen').hidden = false;
  document.title = 'aside: ' + brief(shown.run);
  $('title').replaceChildren('Run ', words(brief(shown.run)));
  tellLatest(shown);
  $('lead').replaceChildren(count(shown.turns, 'turn') + ', ' + count(shown.fires, 'firing') + ', ' + count(shown.tokens, 'token') + '.' + (shown.before ? ' The first ' + num(shown.before) + ' turns are not kept any more.' : ''));
  const r = runs[0];
  if (!r) return;
  view.base = named(shown.run);
  if (first) {
    live.tried = [];
    live.places.clear();
    view.chosen = null;
    chooseRun(0);
    legend();
    place();
  } else {
    view.run = open(r);
    if (whole) { view.from = 0; view.to = Math.max(r.n, 1); }
    r.trial = live.tried.map((t) => ({ ...t, events: t.events.map((e) => ({ ...e, run: r })) }));
    const all = { fire: r.fires, held: r.held, wrong: r.errors, said: r.said, trial: r.trial.flatMap((t) => t.events) };
    view.chosen = !chosen ? null : chosen.kind === 'turn' ? turnEvent(r, chosen.turn) : all[chosen.kind].find((e) => e.turn === chosen.turn && (id === null ? e.id === chosen.id : rules[e.rule].id === id)) || null;
    if (!document.activeElement.closest('#filters')) offer(r);
    tellFilters(r);
    keeping($('fire-table'), fireTable);
    if (view.chosen && !drops) { draw(); markRow(); } else choose(view.chosen || r.fires.find(fits) || null, false); // whose panel has words
  }
  if (first) live.from = null;
  talk();
  if ($('rule').value.trim() && shown.turns !== live.triedAt) tryRule();
};

// tellLatest says which reminder of a run fired last, and what became of its firings.
const tellLatest = (shown) => {
  const f = runs.length ? open(runs[0]).fires.at(-1) : null, heeded = heededWords(shown.heeded, shown.ignored);
  $('latest').hidden = !f;
  if (f) $('latest').replaceChildren('Last fired: ', h('a', { href: '#' + named(shown.run) + '.' + (f.turn + 1) + '.' + rules[f.rule].id }, words(rules[f.rule].id)), ' on turn ' + num(f.turn + shown.before + 1) + '.' + (heeded ? ' Firings so far: ' + heeded + '.' : ''));
};

// keeping draws a list anew and gives the focus back to its control of the same key.
const keeping = (box, redraw) => {
  const focus = document.activeElement, had = box.contains(focus) ? focus.closest('[data-key]') : null;
  const controls = (row) => [row, ...row.querySelectorAll('button')], nth = had && controls(had).indexOf(focus);
  redraw();
  if (had) [...box.querySelectorAll('[data-key]')].filter((e) => e.dataset.key === had.dataset.key).forEach((e) => controls(e)[nth]?.focus({ preventScroll: true }));
};

// The turns, with the reminders at their places.
const perLook = 30;
const outcomeOf = (id, turn) => live.shown.results.find((o) => o.id === id && o.fired === turn);
const blockOf = (f) => {
  const q = rules[f.rule], turn = f.turn + live.shown.before + 1, key = turn + ' ' + q.id, o = outcomeOf(q.id, turn);
  const block = h('aside-reminder', { 'data-key': key });
  block.reminder = { id: q.id, file: q.file, turn: num(turn), why: f.manual ? 'by hand' : f.why, tokens: f.tokens, text: f.text, outcome: o && o.outcome + ' on turn ' + num(o.turn) };
  block.open = live.unfolded !== live.opened.has(key);
  block.addEventListener('toggle', () => { if (block.open !== live.unfolded) live.opened.add(key); else live.opened.delete(key); });
  return block;
};
const callItem = (c) => h('li', {}, words(c.tool), ' ', c.subject ? code(c.subject) : '', c.failed ? h('span', { class: 'bad' }, ' failed') : '', c.output ? h('pre', { tabindex: 0, 'aria-label': 'Output of ' + c.tool }, c.output) : '');
const wouldItem = (e) => h('p', { class: 'would' }, glyph('trial', 'trial'), ' ', words(e.id), ' would fire: ', code(e.why));
const turnItem = (r, turn, said) => {
  const at = timeOf(r, turn), calls = said ? said.calls || [] : called(r, turn).map((c) => ({ tool: c.name + (c.n > 1 ? ' ×' + c.n : ''), failed: c.failed > 0 }));
  const spoken = r.said.some((m) => m.turn === turn);
  return h('li', { value: turn + live.shown.before + 1 },
    h('span', { class: 'at' }, h('a', { href: '#' + view.base + '.' + (turn + 1), 'data-key': 'turn ' + (turn + live.shown.before) }, 'Turn ' + num(turn + live.shown.before + 1)), at ? ' · ' + at : '', h('br', {}), contextWords(r, turn)),
    h('div', {},
      said && said.answer ? h('p', { class: 'spoken', dir: 'auto' }, h('b', {}, 'The model said'), said.answer) : '',
      calls.length ? h('ul', { class: 'calls', 'aria-label': 'Calls' }, calls.map(callItem)) : '',
      r.compact.includes(turn) ? h('p', { class: 'at' }, 'The history was compacted.') : '',
      spoken ? said && said.prompt ? h('p', { class: 'spoken', dir: 'auto' }, h('b', {}, 'The user said'), said.prompt) : h('p', { class: 'at' }, 'A message of the user') : '',
      r.fires.filter((f) => f.turn === turn).map(blockOf), (r.trial || []).flatMap((t) => t.events).filter((e) => e.turn === turn).map(wouldItem)));
};
const talk = async (grown) => {
  const r = view.run, shown = live.shown, to = r.n, from = clamp(live.from ?? r.n - perLook, 0, Math.max(to - 1, 0));
  if (live.saidOf !== shown.edition) { live.saidOf = shown.edition; live.said.clear(); }
  if (shown.words) { // of the latest turn that is known, the words may have changed
    const latest = Math.max(-1, ...live.said.keys());
    try {
      const res = await ask('/aside/said/' + named(shown.run) + '?from=' + (grown || !live.said.has(from) ? from : Math.max(from, latest)));
      if (res.ok && view.run === r) for (const t of await res.json()) live.said.set(t.turn, t);
    } catch { /* then without words */ }
    if (view.run !== r) return;
    for (const turn of live.said.keys()) if (turn < from) live.said.delete(turn);
  }
  const items = [];
  for (let t = from; t < to; t++) items.push(turnItem(r, t, live.said.get(t)));
  const box = $('turn-box'), below = box.scrollHeight - box.scrollTop, last = below - box.clientHeight < 40; // who reads at the end stays there
  keeping($('turn-list'), () => $('turn-list').replaceChildren(...items));
  if (last || grown) box.scrollTop = grown ? box.scrollHeight - below : box.scrollHeight;
  markTurn();
  $('earlier').hidden = from === 0;
  $('talk-note').textContent = shown.words ? 'What was said is in the memory of the server for a time; ' + (from ? 'the latest ' + num(to - from) + ' turns' : 'all turns') + '.' : 'What was said is not kept: serve --keep-bodies 30m keeps it in memory for half an hour.';
};
// The turn that is chosen in the timeline is marked in the list, and one that somebody chooses is scrolled to.
const markTurn = () => {
  for (const li of $('turn-list').children) li.classList.toggle('on', !!view.chosen && !view.auto && li.value === view.chosen.turn + live.shown.before + 1);
  return $('turn-list').querySelector('.on');
};
view.follow = async (e, asked) => {
  if (!asked || !e || !live.shown) { markTurn(); return; }
  if (e.turn < (live.from ?? view.run.n - perLook)) {
    live.from = Math.max(e.turn - 2, 0);
    await talk();
  }
  const row = markTurn(), box = $('turn-box');
  if (row) box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - 8;
};
$('earlier').addEventListener('click', () => { live.from = Math.max((live.from ?? view.run.n - perLook) - perLook, 0); talk(true); });
$('unfold').addEventListener('click', () => {
  live.unfolded = !live.unfolded;
  live.opened.clear();
  $('unfold').setAttribute('aria-pressed', String(live.unfolded));
  for (const d of $('turn-list').querySelectorAll('aside-reminder')) d.open = live.unfolded;
});

// The reminders, with their state in the run.
const stateWords = (x) => {
  if (x.fired) return ['fired', x.held_out ? 'fired, held out' : 'fired'];
  const held = x.held.find((o) => o.why !== 'not armed');
  if (x.cooldown && (!held || held.why === 'cooldown')) return ['held', 'cooldown, ' + x.cooldown + ' left'];
  if (held) return ['held', held.why];
  return x.armed ? ['armed', 'armed'] : ['held', 'not armed'];
};
const effectWords = (id) => {
  const e = live.shown.effects[id];
  if (!e) return '';
  return num(e.heeded) + ' of ' + num(e.heeded + e.ignored) + ' heeded' + (e.open ? ', ' + num(e.open) + ' open' : '');
};
const mostStates = 200;
const states = async () => {
  const run = live.chosen;
  const res = await ask('/aside/why/' + named(run));
  if (!res.ok || run !== live.chosen) return;
  const { reminders: all, never } = await res.json();
  const fresh = all.filter((x) => !live.places.has(x.id)).sort((a, b) => b.fires - a.fires || (a.id < b.id ? -1 : 1));
  for (const x of fresh) live.places.set(x.id, live.places.size); // a row keeps its place while the run goes on
  const list = all.sort((a, b) => live.places.get(a.id) - live.places.get(b.id)).slice(0, mostStates);
  $('reminders-note').textContent = 'after turn ' + num(live.shown.turns) + (list.length < all.length ? '; the first ' + mostStates + ' of ' + num(all.length) : '');
  const heads = ['Reminder', 'State', 'Why not yet, or what comes next', 'Fires', 'Effect, all runs', 'By hand'];
  keeping($('state-table'), () => {
    $('state-table').replaceChildren(h('caption', { class: 'sr' }, 'Reminders and their state in this run'),
      h('thead', {}, h('tr', {}, heads.map((t) => h('th', { scope: 'col', class: t === 'Fires' ? 'n' : '' }, t)))),
      h('tbody', {}, list.map((x) => {
        const [state, label] = stateWords(x);
        return h('tr', { 'data-key': x.id },
          h('th', { scope: 'row' }, h('span', { class: 'rule-name' }, words(x.id)), h('span', { class: 'rule-sub', title: x.trigger.text }, x.mode + ': ', code(x.trigger.text))),
          h('td', { 'data-head': 'state' }, h('span', { class: 'state', 'data-state': state }, label)),
          h('td', { class: 'next', 'data-head': 'next' }, words(x.fires ? x.next : never[x.id] || x.next)),
          h('td', { class: 'n', 'data-head': 'fires' }, num(x.fires) + (x.last_fire ? ', last on ' + num(x.last_fire) : '')),
          h('td', { 'data-head': 'effect' }, x.expect ? effectWords(x.id) || 'none yet' : ''),
          h('td', {}, h('button', { type: 'button', class: 'quiet', 'aria-label': 'Fire ' + x.id + ' by hand', onclick: (ev) => fire(x.id, ev.currentTarget) }, 'Fire')));
      })));
    roles($('state-table'));
  });
};
const fire = async (id, button) => {
  const res = await ask('/aside/fire/' + named(live.chosen) + '/' + named(id), { method: 'POST' }).catch(() => null);
  if (!res) return;
  if (!res.ok) { complain((await res.text()).trim()); return; }
  button.textContent = 'Queued';
  say(id + ' goes out with the next turn of this run.');
};

// A rule that somebody types: a trigger alone gets a text.
const asFile = (typed) => (/^(---|reminders:)/.test(typed.trim()) ? typed : '---\nwhen: ' + typed.trim() + '\n---\nA reminder.\n');
const tryRule = async () => {
  const typed = $('rule').value, run = live.chosen;
  if (!typed.trim()) { live.tried = []; $('findings').replaceChildren(); $('tried').textContent = ''; tell(); return; }
  live.triedAt = live.shown.turns;
  const res = await ask('/aside/play/' + named(run), { method: 'POST', body: asFile(typed) }).catch(() => null);
  if (!res || typed !== $('rule').value || run !== live.chosen) return;
  if (!res.ok) { $('tried').textContent = (await res.text()).trim(); return; }
  const played = await res.json(), alone = asFile(typed) !== typed;
  showFindings(alone ? played.findings.map((f) => ({ ...f, line: Math.max(f.line - 1, 1), endLine: Math.max(f.endLine - 1, 1), column: f.line === 2 ? Math.max(f.column - 6, 1) : f.column, endColumn: f.endLine === 2 ? Math.max(f.endColumn - 6, 1) : f.endColumn })) : played.findings, $('findings'), $('rule'));
  live.tried = played.rules.map((q) => ({ id: q.id, events: q.fires.map((f) => ({ kind: 'trial', id: q.id, turn: f.turn, last: f.turn, tokens: f.tokens, text: f.text, why: f.why })) }));
  const out = played.rules.map((q) => (q.moment ? q.id + ' is read at the moment ' + q.moment + ', of which no facts are kept.' : q.id + ' would have fired ' + count(q.fires.length, 'time') + ' on ' + count(played.turns, 'turn') + (q.never ? ': ' + q.never : '') + '.'));
  if (played.tools.length && played.rules.some((q) => /never used/.test(q.never))) out.push('This run has called ' + played.tools.join(', ') + '.');
  if (!live.shown.words && played.rules.some((q) => /has not told/.test(q.never))) out.push('The words of turns are not kept here.');
  $('tried').textContent = out.join(' ');
  tell();
};
// tell puts the marks of the typed rule into the timeline.
const tell = () => {
  if (!view.run) return;
  view.run.trial = live.tried.map((t) => ({ ...t, events: t.events.map((e) => ({ ...e, run: view.run })) }));
  tellWhere();
  draw();
  talk();
};
// tellWhere has the marks of the typed rule beside the box too, each a link to its turn.
const mostLinks = 20;
const tellWhere = () => {
  $('tried-where').replaceChildren(...view.run.trial.filter((t) => t.events.length).map((t) => h('p', { class: 'where' },
    spark({ ...view.run, fires: t.events }), words(t.id), ' on turn ',
    t.events.slice(0, mostLinks).map((e, i) => [i ? ', ' : '', h('a', { href: '#' + view.base + '.' + (e.turn + 1) }, num(e.turn + live.shown.before + 1))]),
    t.events.length > mostLinks ? ' and ' + num(t.events.length - mostLinks) + ' more' : '')));
};
let typing = 0;
$('rule').addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(tryRule, 150); });

// The panels below the timeline, one at a time; on paper all of them.
const panels = [...$('panels').children];
const tabs = panels.map((panel) => h('button', { type: 'button', role: 'tab', id: 'tab-' + panel.id, 'aria-controls': panel.id }, panel.querySelector('h2').textContent));
const showTab = (i, focus) => {
  panels.forEach((panel, k) => {
    panel.classList.toggle('off', k !== i);
    tabs[k].setAttribute('aria-selected', String(k === i));
    tabs[k].tabIndex = k === i ? 0 : -1;
  });
  if (focus) tabs[i].focus();
};
panels.forEach((panel, i) => {
  build(panel, { role: 'tabpanel', 'aria-labelledby': 'tab-' + panel.id }, []);
  tabs[i].addEventListener('click', () => showTab(i));
});
$('timeline').append(h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'About this run', onkeydown: (ev) => {
  const i = tabs.indexOf(document.activeElement), to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[ev.key];
  if (to === undefined) return;
  showTab((to + tabs.length) % tabs.length, true);
  ev.preventDefault();
} }, tabs));
showTab(0);

// The address names the run, and what is chosen in it.
const place = () => {
  const [, turn, ...id] = location.hash.slice(1).split('.');
  if (!turn) return;
  const e = view.run.fires.find((f) => f.turn === turn - 1 && rules[f.rule].id === id.join('.')) || (turn >= 1 && turn <= view.run.n ? turnEvent(view.run, turn - 1) : null);
  if (e) choose(e, true);
};
const go = () => {
  let run = null;
  try { run = location.hash.length > 1 ? decodeURIComponent(location.hash.slice(1).split('.')[0]) : null; } catch { /* not one of ours */ }
  if (['runs', 'timeline'].includes(run)) return; // places in the page
  if (run === live.chosen) { if (live.shown && live.shown.run === run) place(); return; }
  live.chosen = run;
  document.body.toggleAttribute('data-run', run !== null);
  $('all').hidden = run === null;
  if (run === null) {
    document.title = 'aside: runs';
    $('title').textContent = 'Runs';
    $('lead').textContent = about;
    $('latest').hidden = true;
  }
  $('chosen').hidden = run === null || !live.shown || live.shown.run !== run;
  complain('');
  listRuns([]);
  if (run !== null) due();
};
const about = $('lead').textContent;
addEventListener('hashchange', go);
dress(theme);
let chartWidth = 0;
new ResizeObserver(() => { const w = $('chart').clientWidth; if (w && w !== chartWidth && !view.printing && view.run) { chartWidth = w; draw(); } }).observe($('chart'));
go();
follow();
