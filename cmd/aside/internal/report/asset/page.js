// The page as a whole: its head, the choice of a run, and what the pointer and the keys do.
const themes = ['system', 'light', 'dark'];
let theme = 'system';
try { theme = localStorage.getItem('aside-theme') || 'system'; } catch { /* a page from a file may have no storage */ }
const dress = (t) => {
  theme = themes.includes(t) ? t : 'system';
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme;
  $('theme').replaceChildren(s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('circle', { cx: 8, cy: 8, r: 5.5 }), s('path', { d: { system: 'M8 2.5v11a5.5 5.5 0 0 0 0-11z', light: '', dark: 'M8 2.5a5.5 5.5 0 1 0 .01 0z' }[theme], fill: 'currentColor', stroke: 'none' })), h('span', {}, h('span', { class: 'sr' }, 'Colours: '), { system: 'System', light: 'Light', dark: 'Dark' }[theme]));
};
$('theme').addEventListener('click', () => {
  dress(themes[(themes.indexOf(theme) + 1) % themes.length]);
  try { localStorage.setItem('aside-theme', theme); } catch { /* then for this visit alone */ }
  say('Colours: ' + theme);
});

const stat = (label, value, note, kind) => h('div', { class: kind || '' }, h('dt', {}, label), h('dd', {}, value, note ? h('small', {}, note) : ''));

const head = () => {
  const turns = runs.reduce((a, r) => a + r.n, 0), fires = rules.reduce((a, q) => a + q.fires, 0), tokens = rules.reduce((a, q) => a + q.tokens, 0), fired = rules.filter((q) => q.fires).length;
  let calls = 0, failed = 0, said = 0, compacted = 0;
  for (const r of runs) {
    said += (r.prompts || []).length;
    compacted += (r.compact || []).length;
    for (const row of r.calls || []) for (let i = 1; i < row.length; i += 3) { calls += row[i + 1]; failed += row[i + 2]; }
  }
  const sessions = new Set(runs.map((r) => r.id.split('/')[0])).size;
  $('title').textContent = runs.length === 0 ? 'Nothing to replay' : runs.length === 1 ? 'Replay of ' + brief(runs[0].id) : count(sessions, 'session') + ' replayed';
  const dated = runs.filter((r) => r.start), end = (r) => (r.waits || []).reduce((a, w) => a + w, r.start);
  const when = dated.length ? ' · ' + days(dated.reduce((a, r) => Math.min(a, r.start), Infinity), dated.reduce((a, r) => Math.max(a, end(r)), 0)) : '';
  $('lead').replaceChildren(...(runs.length === 0 ? ['The recording holds no call of a model, so no reminder could have fired.'] : runs.length === 1 ? [words(runs[0].source)] : [count(runs.length, 'run'), runs.length > sessions ? ' (' + count(runs.length - sessions, 'subagent') + ' among them)' : '']), when);
  $('stats').replaceChildren(
    stat(fires === 1 ? 'Firing' : 'Firings', num(fires), '', 'is-fire'), stat('Tokens', num(tokens)), stat('Reminders that fired', num(fired), 'of ' + num(rules.length)),
    stat('Turns', num(turns)), stat('User messages', num(said)), stat('Tool calls', num(calls), failed ? num(failed) + ' failed' : ''), ...(compacted ? [stat(compacted === 1 ? 'Compaction' : 'Compactions', num(compacted))] : []));
  const notes = [];
  if (D.partial) notes.push('The replay was interrupted: this is about the part that was read.');
  if (D.lost.turns) notes.push('The last ' + count(D.lost.turns, 'turn') + ' are too many for a page and not drawn; the firings on them are counted.');
  if (D.lost.fires) notes.push('The last ' + count(D.lost.fires, 'firing') + ' are too many for a page and not drawn, but counted.');
  if (D.lost.held) notes.push('Not all stretches on which reminders were held are drawn: they are too many for a page.');
  $('notice').hidden = notes.length === 0;
  $('notice').textContent = notes.join(' ');
  $('legend').replaceChildren(
    ...tiers.filter((t) => rules.some((q) => q.tier === t)).map((t) => h('span', {}, glyph(t), t)),
    h('span', {}, glyph('held', 'held'), 'true, but held back'), h('span', {}, glyph('said', 'said'), 'user message'), h('span', {}, glyph('failed', 'failed'), 'a call failed'));
};

const spark = (r) => {
  const raw = r.usage.some((u) => u >= 0) ? r.usage : null, kids = [], n = Math.max(r.n, 1);
  if (raw) {
    const { area, curve } = lineOf(raw, Math.max(1000, ...maxima(raw)), 20, 0, n, 300);
    kids.push(s('path', { class: 'area', d: area }), s('path', { class: 'curve', d: curve, 'vector-effect': 'non-scaling-stroke', 'stroke-width': 1 }));
  }
  let d = '', end = -2;
  for (const f of r.fires || []) { const X = ((f.turn ?? f[1]) + 0.5) / n * 300; if (X > end + 1.5) { d += 'M' + px(X) + ' 20v6'; end = X; } }
  kids.push(s('path', { d, stroke: 'var(--fire)', 'stroke-width': 1.5, 'vector-effect': 'non-scaling-stroke' }));
  return s('svg', { viewBox: '0 0 300 26', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, kids);
};

const runList = () => {
  $('runs').hidden = runs.length < 2;
  if (runs.length < 2) return;
  $('run-search').hidden = runs.length < 12;
  const q = $('run-query').value.trim().toLowerCase();
  const fit = runs.filter((r) => !q || holds(r.id + ' ' + r.thread + ' ' + r.source, q)), shown = fit.slice(0, 200);
  $('run-list').replaceChildren(...shown.map((r) => h('li', {}, h('button', { type: 'button', class: 'run', 'data-run': r.k, 'aria-current': r === view.run ? 'true' : null, onclick: () => { chooseRun(r.k); say('Run ' + brief(r.id) + ', ' + count(r.n, 'turn') + ', ' + count(r.fires.length, 'firing')); } },
    h('span', {}, h('b', {}, words(brief(r.id))), h('small', {}, words(r.thread), ' · ', words(baseName(r.source)))), spark(r),
    h('span', { class: 'num turns' }, count(r.n, 'turn')), h('span', { class: 'num' }, count((r.fires || []).length, 'firing'))))));
  $('run-more').hidden = fit.length === shown.length;
  $('run-more').textContent = num(fit.length - shown.length) + ' more: search to narrow them down.';
};
$('run-query').addEventListener('input', runList);

const chooseRun = (k) => {
  const r = runs[k];
  view.run = r ? open(r) : null;
  view.chosen = null;
  view.allLanes = false;
  lanes.focus = null;
  fireRows = 100;
  for (const b of $('run-list').querySelectorAll('.run')) { if (+b.dataset.run === k) b.setAttribute('aria-current', 'true'); else b.removeAttribute('aria-current'); }
  if (!r) { for (const id of ['filters', 'firings', 'detail', 'legend']) $(id).hidden = true; $('chart').querySelector('.chart-head').hidden = $('chart').querySelector('.keys').hidden = true; draw(); return; }
  const model = at(r.models, 0), window = at(r.windows, 0);
  $('run-facts').replaceChildren(...[runs.length > 1 ? [words(brief(r.id)), ' · '] : [], words(r.thread), model ? [' · ', words(text(model))] : [], window ? ' · window ' + num(window) : '', r.times && r.n > 1 ? ' · ' + span(r.times[r.n - 1] - r.times[0]) : ''].flat(2));
  offer(r);
  view.from = 0;
  view.to = Math.max(r.n, 1);
  view.cursor = 0;
  tellFilters(r);
  fireTable();
  choose(r.fires.find(fits) || null, false);
};

const refilter = () => {
  readFilters();
  tellFilters(view.run);
  fireTable();
  draw();
};
const clearFilters = () => {
  $('filters').reset();
  refilter();
};
const only = (i) => {
  $('f-rule').value = filter.rule === String(i) ? '' : String(i);
  refilter();
};
$('filters').addEventListener('input', refilter);
$('filters').addEventListener('submit', (ev) => { ev.preventDefault(); const f = view.run && view.run.fires.find(fits); if (f) { choose(f, true); focusMark(f, true); } });
$('filters').addEventListener('reset', () => setTimeout(() => { refilter(); $('f-rule').focus(); }));
$('fire-more').addEventListener('click', () => { fireRows += 400; fireTable(); });

// The turn that the pointer or the keys are at.
const tellReadout = (turn, more) => {
  const r = view.run;
  $('readout').replaceChildren(h('b', {}, 'Turn ' + num(turn + 1)), ' · ', words(line((more || turnWords(r, turn).replace(/^turn [\d,]+, /, '')))));
};
const hint = (turn, more) => {
  const X = x(turn), cross = $('cross');
  if (cross) { cross.setAttribute('x1', px(X)); cross.setAttribute('x2', px(X)); }
  tellReadout(turn, more);
};
const unhint = () => {
  const cross = $('cross');
  if (cross) { cross.setAttribute('x1', -9); cross.setAttribute('x2', -9); }
};
const tellCursor = () => {
  const track = $('turns'), r = view.run;
  view.cursor = clamp(view.cursor, 0, r.n - 1);
  if (track) { track.setAttribute('aria-valuenow', view.cursor + 1); track.setAttribute('aria-valuetext', turnWords(r, view.cursor)); }
  tellReadout(view.cursor);
};
const moveCursor = (turn) => {
  view.cursor = clamp(turn, 0, view.run.n - 1);
  reveal(view.cursor);
  tellCursor();
  hint(view.cursor);
};
const onTurnKey = (ev) => {
  const to = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[ev.key];
  if (to) moveCursor(view.cursor + to);
  else if (ev.key === 'Home') moveCursor(0);
  else if (ev.key === 'End') moveCursor(view.run.n - 1);
  else if (ev.key === 'Enter' || ev.key === ' ') choose(turnEvent(view.run, view.cursor), true);
  else if (!zoomKey(ev, view.cursor)) return;
  ev.preventDefault();
};

// listen makes a track answer to the pointer: over it, the turn is told; a click chooses it, a drag comes closer.
const listen = (track) => {
  const at = (ev) => ev.clientX - track.getBoundingClientRect().left;
  track.addEventListener('pointermove', (ev) => { if (!ev.target.closest('.mark-hit')) hint(turnAt(at(ev))); });
  track.addEventListener('pointerleave', unhint);
  track.addEventListener('pointerdown', (ev) => {
    if (ev.button !== 0 || ev.target.closest('.mark-hit')) return;
    const began = at(ev), touch = ev.pointerType === 'touch', was = [view.from, view.to];
    const move = (e) => {
      const now = e.clientX - ev.clientX + began;
      if (touch) { const d = (began - now) / view.width * (was[1] - was[0]); look(was[0] + d, was[1] + d, false); return; }
      $('brush').setAttribute('x', px(Math.min(began, now)));
      $('brush').setAttribute('width', px(Math.abs(now - began)));
    };
    const end = (e) => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      $('brush')?.setAttribute('width', 0);
      const now = e.clientX - ev.clientX + began;
      if (e.type === 'pointercancel') return;
      if (Math.abs(now - began) < 5) choose(turnEvent(view.run, turnAt(began)), true);
      else if (!touch) look(view.from + Math.min(began, now) / view.width * (view.to - view.from), view.from + Math.max(began, now) / view.width * (view.to - view.from), true);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  });
};
const onOverview = (ev) => {
  const left = ev.currentTarget.getBoundingClientRect().left, wide = view.to - view.from;
  const move = (e) => { const c = (e.clientX - left) / view.width * view.run.n; look(c - wide / 2, c + wide / 2, false); };
  const end = () => { removeEventListener('pointermove', move); removeEventListener('pointerup', end); removeEventListener('pointercancel', end); };
  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
  move(ev);
};
$('rows').addEventListener('wheel', (ev) => {
  if (!view.run || !view.run.n) return;
  const track = ev.target.closest('.track');
  if (ev.ctrlKey || ev.metaKey) {
    const left = (track || $('rows')).getBoundingClientRect().left;
    zoom(Math.exp(ev.deltaY * 0.003), view.from + (ev.clientX - left) / view.width * (view.to - view.from), false);
  } else {
    const by = ev.shiftKey ? ev.deltaX || ev.deltaY : Math.abs(ev.deltaX) > Math.abs(ev.deltaY) ? ev.deltaX : 0;
    if (!by || view.to - view.from >= view.run.n) return;
    const d = by / view.width * (view.to - view.from);
    look(view.from + d, view.to + d, false);
  }
  ev.preventDefault();
}, { passive: false });
$('z-in').addEventListener('click', () => zoom(0.5));
$('z-out').addEventListener('click', () => zoom(2));
$('z-all').addEventListener('click', whole);

// On paper there is no width to ask for: the timeline is drawn for a page, as a whole, and the list in full.
const press = (on) => {
  if (view.printing === on || !view.run) return;
  view.printing = on;
  if (on) { view.was = [view.from, view.to, fireRows]; view.from = 0; view.to = Math.max(view.run.n, 1); fireRows = 2000; } else [view.from, view.to, fireRows] = view.was;
  fireTable();
  draw();
};
addEventListener('beforeprint', () => press(true));
addEventListener('afterprint', () => press(false));
matchMedia('print').addEventListener('change', (ev) => press(ev.matches));

const begin = () => {
  dress(theme);
  head();
  const [run, turn, ...id] = location.hash.slice(1).split('.');
  const k = runs[run - 1] ? run - 1 : Math.max(runs.findIndex((r) => (r.fires || []).length), 0);
  view.run = runs[k] || null;
  runList();
  chooseRun(k);
  ruleTable();
  if (runs[run - 1] && turn) {
    const e = view.run.fires.find((f) => f.turn === turn - 1 && rules[f.rule].id === id.join('.')) || (turn >= 1 && turn <= view.run.n ? turnEvent(view.run, turn - 1) : null);
    if (e) choose(e, true);
  }
  let width = $('chart').clientWidth;
  new ResizeObserver(() => { if ($('chart').clientWidth !== width && !view.printing) { width = $('chart').clientWidth; draw(); } }).observe($('chart'));
  document.documentElement.dataset.ready = 'true';
};
begin();
