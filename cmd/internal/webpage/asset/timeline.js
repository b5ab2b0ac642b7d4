// The timeline of a run: the choice of it, filters, and what the pointer and the keys do.
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

// legend says what the marks are.
const legend = () => {
  $('legend').replaceChildren(
    ...tiers.filter((t) => rules.some((q) => q.tier === t)).map((t) => h('span', {}, glyph(t), t)),
    h('span', {}, glyph('held', 'held'), 'true, but held back'), h('span', {}, glyph('said', 'said'), 'user message'), h('span', {}, glyph('failed', 'failed'), 'a call failed'));
};

const chooseRun = (k) => {
  const r = runs[k];
  view.run = r ? open(r) : null;
  view.chosen = null;
  view.allLanes = false;
  lanes.focus = null;
  fireRows = 100;
  for (const b of document.querySelectorAll('#run-list .run')) { if (+b.dataset.run === k) b.setAttribute('aria-current', 'true'); else b.removeAttribute('aria-current'); }
  if (!r) { for (const id of ['filters', 'firings', 'detail', 'legend']) $(id).hidden = true; $('chart').querySelector('.chart-head').hidden = $('chart').querySelector('.keys').hidden = true; draw(); return; }
  const model = at(r.models, 0), window = at(r.windows, 0);
  const of = r.parent, began = born(r);
  $('run-facts').replaceChildren(...[runs.length > 1 ? [words(brief(r.id)), ' · '] : [], words(r.thread), of ? [' of ', h('button', { type: 'button', class: 'link', onclick: () => { chooseRun(of.k); if (began >= 0) choose(turnEvent(of, began), true); } }, words(title(of, 40)), began >= 0 ? ', turn ' + num(began + 1) : '')] : [], model ? [' · ', words(text(model))] : [], window ? ' · window of ' + num(window) + ' tokens' : '', r.times && r.n > 1 ? ' · went on for ' + span(r.times[r.n - 1] - r.times[0]) : ''].flat(2));
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
      else if (!touch) look(placeAt(Math.min(began, now)), placeAt(Math.max(began, now)), true);
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
    zoom(Math.exp(ev.deltaY * 0.003), placeAt(ev.clientX - left), false);
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
$('z-time').addEventListener('click', () => { view.time = !view.time; draw(); say(view.time ? 'Each turn stands at its time.' : 'The turns stand side by side.'); });

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
