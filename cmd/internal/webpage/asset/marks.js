// The lanes: what the user said, and a lane for each reminder. Marks that would touch are one mark with a number.
const lanes = { rows: [], focus: null };
const shapes = {
  guidance: 'M0 -5.4a5.4 5.4 0 1 1 -.01 0z',
  correctness: 'M0 -6.6L6.6 0L0 6.6L-6.6 0z',
  safety: 'M-5.2 -5.2h10.4v10.4h-10.4z',
  said: 'M-5 -4.2h10L0 5z',
  wrong: 'M-4.2 -4.2l8.4 8.4M4.2 -4.2l-8.4 8.4',
  trial: 'M0 -6L6 5H-6z',
};
const glyph = (name, kind) => s('svg', { class: 'glyph ' + (kind || ''), viewBox: '-7 -7 14 14', 'aria-hidden': 'true' },
  name === 'held' ? s('path', { class: 'shape', d: 'M-6 0h12.5' }) : name === 'failed' ? s('path', { class: 'shape', d: 'M-1.7 -7h3.4v14h-3.4z' }) : s('path', { class: 'shape', d: shapes[name] }));

const order = (r) => {
  const first = new Map(), fires = new Map();
  for (const e of [...r.fires, ...r.held, ...r.errors]) {
    if (!fits(e)) continue;
    first.set(e.rule, Math.min(e.turn, first.get(e.rule) ?? Infinity));
    if (e.kind === 'fire') fires.set(e.rule, (fires.get(e.rule) || 0) + 1);
  }
  const rank = (i) => tiers.indexOf(rules[i].tier);
  return [...first.keys()].sort((a, b) => !fires.has(a) - !fires.has(b) || rank(a) - rank(b) || first.get(a) - first.get(b) || a - b);
};

const saidRow = () => {
  const said = view.run.said.filter(fits);
  return said.length ? [lane('said', [h('span', {}, 'User messages'), h('span', { class: 'num' }, num(said.length))], said, 'User messages, ' + said.length)] : [];
};

// trialRows are the lanes of a rule that somebody tries: where it would have fired.
const trialRows = () => (view.run.trial || []).map((t) => lane('trial', [h('span', {}, t.id), h('span', { class: 'num' }, num(t.events.length))], t.events, t.id + ', as typed, ' + count(t.events.length, 'firing')));

const laneRows = () => {
  const r = view.run, out = [];
  const ids = order(r), shown = view.allLanes ? ids : ids.slice(0, most.lanes);
  const by = new Map(shown.map((i) => [i, []]));
  for (const e of [...r.held, ...r.fires, ...r.errors]) if (by.has(e.rule) && fits(e)) by.get(e.rule).push(e);
  shown.forEach((i, k) => {
    const fired = by.get(i).filter((e) => e.kind === 'fire').length;
    const label = [h('button', { type: 'button', class: 'link', 'data-rule': i, title: rules[i].id, 'aria-label': (filter.rule === String(i) ? 'Show all reminders, not only ' : 'Show only ') + rules[i].id, 'aria-pressed': String(filter.rule === String(i)), onclick: () => only(i) }, rules[i].id), h('span', { class: 'num', 'aria-hidden': 'true' }, num(fired))];
    out.push(lane('fired' + (k === 0 ? ' group' : ''), label, by.get(i), rules[i].id + ', ' + rules[i].tier + ', ' + count(fired, 'firing'), i));
  });
  if (!ids.length) out.push(h('div', { class: 'row group' }, h('p', { class: 'label' }, 'Reminders'), h('p', { class: 'empty' }, narrowed() ? 'No firing fits these filters.' : rules.length ? 'No reminder fired in this run.' : 'No rules were given.')));
  const rest = ids.length - shown.length;
  $('lanes-more').hidden = rest <= 0;
  if (rest > 0) $('lanes-more').replaceChildren(h('button', { type: 'button', class: 'quiet', onclick: () => { view.allLanes = true; draw(); } }, 'Show ' + count(rest, 'more lane')));
  const marks = lanes.rows.flatMap((l) => l.marks);
  if (marks.length && !marks.some((m) => m.covers(lanes.focus))) lanes.focus = (marks.find((m) => m.covers(view.chosen)) || marks.find((m) => m.events[0].kind === 'fire') || marks[0]).events[0];
  let one = false;
  for (const m of marks) { const is = !one && m.covers(lanes.focus); one = one || is; m.el.setAttribute('tabindex', is ? 0 : -1); }
  return out;
};

const sameEvent = (a, b) => a && b && a.kind === b.kind && a.rule === b.rule && a.turn === b.turn && a.run === b.run && a.text === b.text;

// gather joins events of one kind whose marks would touch, up to a width: of a dense lane the numbers then say how dense it is.
const gather = (events, reach, most) => {
  const out = [];
  for (const e of events) {
    const a = x(e.turn), b = x(e.last), last = out[out.length - 1];
    if (b < -4 || a > view.width + 4) continue;
    if (last && a - last.b < reach && b - last.a < most) { last.events.push(e); last.b = Math.max(b, last.b); } else out.push({ events: [e], a, b });
  }
  const [p, q] = out.slice(-2);
  if (q && p.events.length > 1 && q.a - p.b < reach && q.b - q.a < 14) { p.events.push(...q.events); p.b = q.b; out.pop(); } // too little for a number
  for (const g of out) { const r = g.events.length > 1 ? 8 : 6.5; g.lo = Math.max(g.a, -8) - r; g.hi = Math.min(g.b, view.width + 8) + r; }
  for (let i = 1; i < out.length; i++) {
    const p = out[i - 1], q = out[i];
    if (p.hi + 2 > q.lo) { const mid = (p.hi + q.lo) / 2; p.hi = mid - 1; q.lo = mid + 1; }
  }
  return out;
};

const lane = (kind, label, events, name, rule) => {
  const laneHeight = view.printing ? 22 : 30;
  const l = { kind, rule, events: events.filter((e) => e.kind !== 'held').sort((a, b) => a.turn - b.turn), held: events.filter((e) => e.kind === 'held'), marks: [] };
  const mid = laneHeight / 2;
  const kids = [s('line', { class: 'base', x1: 0, x2: view.width, y1: mid, y2: mid })];
  const groups = [...gather(l.held, 7, 120), ...gather(l.events, 13, 36)];
  for (const g of groups) {
    const m = mark(g, mid, rule);
    l.marks.push(m);
    kids.push(m.el);
  }
  l.marks.sort((p, q) => p.events[0].turn - q.events[0].turn);
  lanes.rows.push(l);
  const svg = s('svg', { width: view.width, height: laneHeight, viewBox: '0 0 ' + view.width + ' ' + laneHeight, role: 'group', 'aria-label': name }, kids);
  return row('lane ' + kind, label, svg);
};

const mark = (g, mid, rule) => {
  const e = g.events[0], n = g.events.length, kind = e.kind;
  const el = s('g', { class: 'mark-hit ' + kind, role: 'button', 'aria-label': markWords(g.events) });
  const m = { ...g, el, covers: (f) => f && g.events.some((o) => sameEvent(o, f)) };
  if (kind === 'held') {
    const a = Math.max(g.a, -4), b = Math.min(g.b, view.width + 4);
    el.append(s('rect', { class: 'grip', x: px(a - 4), y: mid - 9, width: px(b - a + 8), height: 18 }), s('path', { class: 'shape', d: 'M' + px(a - (a === b ? 2 : 0)) + ' ' + mid + 'L' + px(b + (a === b ? 3 : 0.1)) + ' ' + mid }), s('rect', { class: 'ring', x: px(a - 5), y: mid - 7, width: px(b - a + 10), height: 14, rx: 7 }));
  } else if (n === 1) {
    const name = kind === 'fire' ? rules[e.rule].tier : kind;
    el.append(s('circle', { cx: px(g.a), cy: mid, r: 11, fill: 'transparent' }), s('path', { class: 'shape', d: shapes[name], transform: 'translate(' + px(g.a) + ' ' + mid + ')' }), s('circle', { class: 'ring', cx: px(g.a), cy: mid, r: 9.5 }));
    if (e.manual) el.append(s('path', { class: 'hand', d: 'M-4 -10h8', stroke: 'currentColor', 'stroke-width': 1.5, transform: 'translate(' + px(g.a) + ' ' + mid + ')' }));
  } else {
    const a = g.lo, b = g.hi;
    el.append(s('rect', { class: 'shape', x: px(a), y: mid - 8, width: px(b - a), height: 16, rx: rule === undefined || rules[rule].tier === 'guidance' ? 8 : 3 }), s('text', { class: 'number', x: px((a + b) / 2), y: mid + 4 }, num(n)), s('rect', { class: 'ring', x: px(a - 3), y: mid - 11, width: px(b - a + 6), height: 22, rx: 11 }));
  }
  if (m.covers(view.chosen)) { el.classList.add('is-chosen', ...(view.auto ? ['auto'] : [])); el.setAttribute('aria-current', 'true'); }
  el.addEventListener('click', () => { lanes.focus = e; act(m); });
  el.addEventListener('keydown', (ev) => onMarkKey(ev, m));
  el.addEventListener('focus', () => { lanes.focus = m.covers(lanes.focus) ? lanes.focus : e; hint(e.turn); });
  el.addEventListener('pointerenter', () => { tellReadout(e.turn, markWords(g.events)); });
  return m;
};

const markWords = (events) => {
  const e = events[0], last = events[events.length - 1];
  const where = events.length > 1 || e.last > e.turn ? 'turns ' + num(e.turn + 1) + ' to ' + num(last.last + 1) : 'turn ' + num(e.turn + 1);
  if (e.kind === 'said') return events.length > 1 ? count(events.length, 'user message') + ', ' + where : 'User message, ' + where + ': ' + short(e.text, 120);
  if (e.kind === 'trial') return (events.length > 1 ? e.id + ' would fire ' + num(events.length) + ' times, ' : e.id + ' would fire, ') + where;
  const id = rules[e.rule].id;
  if (e.kind === 'held') return id + ' held back, ' + where + (events.length > 1 ? ', ' + events.length + ' times' : ': ' + e.why);
  if (e.kind === 'wrong') return id + ' could not be rendered, ' + where;
  return events.length > 1 ? id + ', ' + count(events.length, 'firing') + ', ' + where : id + ' fired, ' + where + (e.manual ? ', by name' : ', because ' + short(e.why, 160));
};

// act opens what a mark stands for; a group comes closer first.
const act = (m) => {
  if (m.events.length === 1) { choose(m.events[0], true); return; }
  const a = m.events[0].turn, b = m.events[m.events.length - 1].last;
  if (b - a < least || view.to - view.from <= least + 0.01) { choose(m.events.find((e) => sameEvent(e, lanes.focus)) || m.events[0], true); return; }
  const wide = Math.min((b - a) * 1.24 + 3, (view.to - view.from) / 2), from = clamp((a + b + 1 - wide) / 2, 0, Math.max(view.run.n - wide, 0));
  lanes.focus = m.events.find((e) => e.turn >= from) || m.events[0];
  say('Closer: turns ' + num(Math.floor(from) + 1) + ' to ' + num(Math.ceil(from + wide)));
  look(from, from + wide, true);
  focusMark(lanes.focus, false);
};

const focusMark = (event, move) => {
  if (!event) return;
  if (move) reveal(event.turn);
  for (const l of lanes.rows) {
    for (const m of l.marks) {
      if (!m.covers(event)) continue;
      lanes.focus = event;
      for (const k of lanes.rows) for (const o of k.marks) o.el.setAttribute('tabindex', o === m ? 0 : -1);
      m.el.focus({ preventScroll: !move });
      return;
    }
  }
};

// onMarkKey walks from mark to mark: along a lane over the whole run, across lanes to what is nearest.
const onMarkKey = (ev, m) => {
  const k = lanes.rows.findIndex((l) => l.marks.includes(m)), l = lanes.rows[k];
  const all = [...l.held, ...l.events].sort((a, b) => a.turn - b.turn || (a.kind < b.kind ? -1 : 1));
  const first = all.findIndex((e) => m.covers(e)), last = all.findLastIndex((e) => m.covers(e));
  const nearest = (to) => {
    for (let i = k + to; lanes.rows[i]; i += to) {
      const list = [...lanes.rows[i].events, ...lanes.rows[i].held];
      if (list.length) return list.reduce((a, b) => (Math.abs(b.turn - lanes.focus.turn) < Math.abs(a.turn - lanes.focus.turn) ? b : a));
    }
  };
  let next;
  switch (ev.key) {
    case 'ArrowRight': next = all.slice(last + 1).find((e) => !m.covers(e)); break;
    case 'ArrowLeft': next = all.slice(0, first).reverse().find((e) => !m.covers(e)); break;
    case 'ArrowDown': next = nearest(1); break;
    case 'ArrowUp': next = nearest(-1); break;
    case 'Home': next = all[0]; break;
    case 'End': next = all[all.length - 1]; break;
    case 'Enter': case ' ': act(m); break;
    default: if (!zoomKey(ev, lanes.focus.turn)) return;
  }
  ev.preventDefault();
  if (next) focusMark(next, true);
};

const zoomKey = (ev, turn) => {
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return false;
  if (ev.key === '+' || ev.key === '=') zoom(0.5, turn + 0.5);
  else if (ev.key === '-' || ev.key === '_') zoom(2, turn + 0.5);
  else if (ev.key === '0') whole();
  else return false;
  return true;
};
