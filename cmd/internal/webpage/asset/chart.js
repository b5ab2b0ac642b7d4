// The timeline: rows over one scale of turns. Every row is a label and a drawing; what lies across all rows is drawn over them.
// base begins the places in the address for a page of live runs; '': a replay, whose runs have numbers.
const view = { base: '', run: null, from: 0, to: 1, width: 800, chosen: null, cursor: 0, allLanes: false, printing: false };
const most = { tools: 7, lanes: 40 };
const least = 6; // turns that are seen at once, at the closest

// The scale has the turns side by side or, if the person asks for it and the recording has times, each at its time. What is seen is counted
// in turns on both: turn t lies from t to t + 1, with its mark in the middle. spread is where such a place stands on the scale, gathered
// the reverse.
const timed = () => view.time && view.run && view.run.passed;
const spread = (u) => {
  const t = timed();
  if (!t) return u;
  const last = t.length - 1, i = clamp(Math.floor(u - 0.5), 0, last - 1), part = u - 0.5 - i, edge = (t[last] - t[0]) * 0.04;
  if (u < 0.5) return t[0] + edge * part;
  return u > last + 0.5 ? t[last] + edge * (part - 1) : t[i] + (t[i + 1] - t[i]) * part;
};
const gathered = (v) => {
  const t = timed();
  if (!t) return v;
  const last = t.length - 1, edge = (t[last] - t[0]) * 0.04;
  if (v <= t[0]) return 0.5 + (v - t[0]) / edge;
  if (v >= t[last]) return last + 0.5 + (v - t[last]) / edge;
  const i = lower(t, v, (at) => at) - 1;
  return i + 0.5 + (v - t[i]) / (t[i + 1] - t[i]);
};
const x = (turn) => { const a = spread(view.from); return (spread(turn + 0.5) - a) / (spread(view.to) - a) * view.width; };
const placeAt = (px) => { const a = spread(view.from); return gathered(a + px / view.width * (spread(view.to) - a)); };
const turnAt = (px) => clamp(Math.floor(placeAt(px)), 0, Math.max(view.run.n - 1, 0));
const px = (n) => n.toFixed(1);
const step = () => (timed() ? 4 : view.width / (view.to - view.from)); // of one turn, in pixels

const row = (kind, label, track, more) => h('div', { class: 'row ' + kind, ...more }, h('div', { class: 'label' }, label), h('div', { class: 'track' }, track));
const canvas = (height, ...kids) => s('svg', { width: view.width, height, viewBox: '0 0 ' + view.width + ' ' + height, 'aria-hidden': 'true' }, kids);

// lineOf returns the path of a curve, and that of the area below it. Where several turns share a pixel, what is drawn there is
// the least and the greatest of them, in their order, so that no peak is lost.
const lineOf = (list, top, height, from, to, width, X = (t) => (t + 0.5 - from) * width / (to - from)) => {
  const scale = width / (to - from), Y = (v) => height - 1 - v / top * (height - 6);
  const first = Math.max(0, Math.floor(from) - 1), last = Math.min(list.length - 1, Math.ceil(to));
  const pieces = [];
  let piece = null;
  const put = (t, v) => { if (!piece) pieces.push(piece = []); piece.push([X(t), Y(v)]); };
  const bucket = Math.max(1, Math.floor(0.75 / scale));
  for (let t = first; t <= last; t += bucket) {
    let lo = -1, hi = -1;
    for (let i = t; i < Math.min(t + bucket, last + 1); i++) {
      if (list[i] < 0) continue;
      if (lo < 0 || list[i] < list[lo]) lo = i;
      if (hi < 0 || list[i] > list[hi]) hi = i;
    }
    if (lo < 0) { piece = null; continue; }
    put(Math.min(lo, hi), list[Math.min(lo, hi)]);
    if (lo !== hi) put(Math.max(lo, hi), list[Math.max(lo, hi)]);
  }
  let curve = '', area = '';
  for (const p of pieces) {
    if (p.length === 1) p.unshift([p[0][0] - Math.max(scale / 3, 1), p[0][1]]);
    const d = p.map(([a, b]) => px(a) + ' ' + px(b)).join('L');
    curve += 'M' + d;
    area += 'M' + px(p[0][0]) + ' ' + height + 'L' + d + 'L' + px(p[p.length - 1][0]) + ' ' + height + 'Z';
  }
  return { curve, area };
};

const ticks = () => {
  const want = Math.max(2, Math.floor(view.width / 80)), range = view.to - view.from;
  let unit = 1;
  for (const f of [1, 2, 5]) for (let e = 1; e <= 1e6; e *= 10) if (range / (f * e) > want) unit = Math.max(unit, f * e);
  if (unit > 1 || range > want) { const next = { 1: 2, 2: 5, 5: 10 }, e = 10 ** Math.floor(Math.log10(unit)); unit = next[Math.round(unit / e)] * e; }
  const out = [];
  for (let n = Math.ceil((Math.floor(view.from) + 1) / unit) * unit; n <= Math.min(Math.ceil(view.to), view.run.n); n += unit) out.push(n);
  if (view.from < 1 && out[0] !== 1 && unit > 1) out.unshift(1);
  return out.filter((n) => x(n - 1) >= 0 && x(n - 1) <= view.width);
};

// hours are the ticks of a scale of times: the seconds between two, and the times.
const hours = () => {
  const a = spread(view.from), b = spread(view.to), want = Math.max(2, Math.floor(view.width / 90));
  const unit = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200].find((u) => (b - a) / u <= want) || Math.ceil((b - a) / want / 86400) * 86400;
  const out = [];
  for (let at = Math.ceil(a / unit) * unit; at <= b; at += unit) out.push([gathered(at) - 0.5, unit < 60 ? clock(at) + ':' + two(at % 60) : unit < 86400 ? clock(at) : day(at).split(' ').slice(0, 2).join(' ').slice(0, 6)]);
  return out;
};

const axisRow = () => {
  const marks = (timed() ? hours() : ticks().map((n) => [n - 1, num(n)])).map(([turn, label]) => {
    const X = x(turn), end = X > view.width - 14 ? 'end' : X < 10 ? 'start' : 'middle';
    return [s('line', { class: 'guide', x1: px(X), x2: px(X), y1: 17, y2: 22 }), s('text', { class: 'tick', x: px(end === 'end' ? view.width : end === 'start' ? Math.max(0, X - 3) : X), y: 12, 'text-anchor': end }, label)];
  });
  return row('axis', h('span', {}, timed() ? 'Time (UTC)' : 'Turn'), canvas(22, marks));
};

const contextRow = () => {
  const r = view.run, contextHeight = 104;
  if (!r.curve) return row('context', h('span', {}, 'Context'), h('p', { class: 'aside-note' }, 'This recording does not say how full the context was.'));
  const { curve, area } = lineOf(r.curve, r.top, contextHeight, view.from, view.to, view.width, x);
  const Y = (share) => contextHeight - 1 - share * (contextHeight - 6);
  const levels = r.relative ? [0, 0.25, 0.5, 0.75, 1].map((v) => [v * 1000 / r.top, v === 0 ? '' : v * 100 + '%']) : [[0, ''], [0.5, num(Math.round(r.top / 2000)) + 'k'], [1, num(Math.round(r.top / 1000)) + 'k']];
  const svg = canvas(contextHeight,
    s('path', { class: 'area', d: area }),
    levels.map(([v]) => s('line', { class: 'guide', x1: 0, x2: view.width, y1: px(Y(v)), y2: px(Y(v)) })),
    s('path', { class: step() < 0.4 ? 'curve fine' : 'curve', d: curve }),
    view.gutter ? null : levels.filter(([, label]) => label && label !== '25%' && label !== '75%').map(([v, label]) => s('text', { class: 'tick', x: 2, y: px(Y(v) + 13) }, label)));
  const scale = h('span', { class: 'scale', 'aria-hidden': 'true' });
  for (const [v, label] of levels) {
    if (!label || label === '25%' || label === '75%') continue;
    const el = h('span', {}, label);
    el.style.top = px(Math.max(Y(v), 7)) + 'px';
    scale.append(el);
  }
  const out = row('context', [h('span', {}, r.relative ? 'Context' : 'Context, tokens'), scale], svg);
  const track = out.querySelector('.track');
  build(track, { role: 'slider', tabindex: 0, id: 'turns', 'aria-label': 'Turns of the run', 'aria-valuemin': 1, 'aria-valuemax': r.n, 'aria-orientation': 'horizontal', onkeydown: onTurnKey, onfocus: () => moveCursor(view.cursor) }, []);
  return out;
};

// cellsOf returns the paths of a strip: one of cells for the turns on which a tool was called, one of those with a failed call,
// which are taller and stand out without a colour too.
const cellsOf = (turns, height) => {
  if (step() < 1.5) return densityOf(turns, height);
  const w = step(), gap = w > 5 ? 1 : 0, wide = Math.max(w - gap, 1.2);
  let cells = '', fails = '', end = -1, failed = -1;
  for (let i = lower(turns, Math.floor(view.from), (t) => t[0]); i < turns.length && turns[i][0] <= view.to; i++) {
    const [turn, , bad] = turns[i], X = x(turn) - w / 2 + gap / 2;
    if (X + wide > end + 0.4) {
      const left = Math.max(X, end);
      cells += 'M' + px(left) + ' 4h' + px(X + wide - left) + 'v' + (height - 8) + 'h' + px(left - X - wide) + 'z';
      end = X + wide;
    }
    if (bad && X + 1 > failed) {
      const width = Math.max(Math.min(wide, 4), 2), mid = X + wide / 2 - width / 2;
      fails += 'M' + px(mid) + ' 0h' + px(width) + 'v' + height + 'h' + px(-width) + 'z';
      failed = mid + width;
    }
  }
  return [s('path', { class: 'cells', d: cells }), s('path', { class: 'fails', d: fails })];
};

// densityOf is a strip where turns are narrower than a cell can be: in columns of two pixels, how large a part of the turns called
// the tool, and of these calls how many failed.
const densityOf = (turns, height) => {
  const wide = 2, per = wide / step(), foot = height - 4;
  let cells = '', fails = '';
  for (let c = 0, i = lower(turns, Math.floor(view.from), (t) => t[0]); c * wide < view.width && i < turns.length; c++) {
    let n = 0, calls = 0, bad = 0;
    for (; i < turns.length && turns[i][0] < view.from + (c + 1) * per; i++) { n++; calls += turns[i][1]; bad += turns[i][2]; }
    if (!n) continue;
    const tall = Math.max(2, Math.min(n / per, 1) * (height - 7));
    cells += 'M' + c * wide + ' ' + foot + 'v' + px(-tall) + 'h' + wide + 'v' + px(tall) + 'z';
    if (bad) fails += 'M' + c * wide + ' ' + height + 'v' + px(-Math.max(4, tall * bad / calls + 4)) + 'h' + wide + 'V' + height + 'z';
  }
  return [s('path', { class: 'cells', d: cells }), s('path', { class: 'fails', d: fails })];
};

const toolRows = () => {
  const r = view.run;
  let shown = r.ranked.length <= most.tools ? r.ranked : r.ranked.slice(0, most.tools - 1);
  const chosen = filter.tool === '' ? null : r.ranked.find((t) => t.place === +filter.tool);
  if (chosen && !shown.includes(chosen)) shown = [...shown, chosen];
  const rest = r.ranked.filter((t) => !shown.includes(t));
  const list = shown.map((t) => ({ ...t, label: words(t.name) }));
  if (rest.length) {
    const turns = new Map();
    for (const t of rest) for (const [turn, n, bad] of t.turns) { const sum = turns.get(turn) || [turn, 0, 0]; sum[1] += n; sum[2] += bad; turns.set(turn, sum); }
    list.push({ label: h('span', {}, count(rest.length, 'other')), calls: rest.reduce((a, t) => a + t.calls, 0), failed: rest.reduce((a, t) => a + t.failed, 0), turns: [...turns.values()].sort((a, b) => a[0] - b[0]), place: -1 });
  }
  return list.map((t, i) => {
    const title = count(t.calls, 'call') + (t.failed ? ', ' + num(t.failed) + ' failed' : '');
    const out = row('tool' + (i === 0 ? ' group' : ''), [t.label, h('span', { class: 'num', title }, num(t.calls), h('span', { class: 'sr' }, title.slice(num(t.calls).length)))], canvas(17, cellsOf(t.turns, 17)));
    if (chosen && t.place !== chosen.place) out.classList.add('faded');
    return out;
  });
};

const overviewRow = () => {
  const r = view.run, height = 26;
  const kids = [];
  if (r.curve) {
    const { area } = lineOf(r.curve, r.top, height, 0, Math.max(r.n, 1), view.width);
    kids.push(s('path', { class: 'area', d: area }));
  }
  const X = (t) => t / r.n * view.width;
  kids.unshift(s('rect', { class: 'window', x: px(X(view.from)), y: 0.5, width: px(Math.max(X(view.to) - X(view.from), 3)), height: height - 1, rx: 3 }));
  let d = '', end = -2;
  for (const f of r.fires) { const at = X(f.turn + 0.5); if (at > end + 1.5 && fits(f)) { d += 'M' + px(at) + ' 17v7'; end = at; } }
  kids.push(s('path', { d, stroke: 'var(--fire)', 'stroke-width': 1.5 }));
  const out = row('overview', h('span', {}, 'Whole run'), canvas(height, kids), { 'aria-hidden': 'true' });
  out.querySelector('.track').addEventListener('pointerdown', onOverview);
  return out;
};

// overlay draws what concerns all rows: where the history was compacted, which turn is chosen.
const overlay = (rows) => {
  const r = view.run, kids = [], top = rows.querySelector('.context .track').offsetTop - 6;
  const inside = (t) => t >= view.from - 1 && t <= view.to;
  for (const [list, label] of [[r.compact, 'compacted'], [r.resumed, 'resumed']]) {
    const seen = list.filter(inside), far = seen.length <= 16;
    let word = -1000;
    for (const t of seen) {
      const X = x(t) - step() / 2;
      kids.push(s('line', { class: far ? 'cut' : 'cut brief', x1: px(X), x2: px(X), y1: top, y2: far ? '100%' : top + 7 }));
      if (far && X - word > 150) {
        const left = X > view.width - 66;
        kids.push(s('text', { class: 'cut-word', x: px(X + (left ? -5 : 5)), y: top + 23, 'text-anchor': left ? 'end' : 'start' }, label));
        word = X;
      }
    }
  }
  if (view.chosen && inside(view.chosen.turn)) kids.push(s('line', { class: 'chosen' + (view.auto ? ' auto' : ''), x1: px(x(view.chosen.turn)), x2: px(x(view.chosen.turn)), y1: top, y2: '100%' }));
  kids.push(s('line', { class: 'cross', id: 'cross', x1: -9, x2: -9, y1: top, y2: '100%' }), s('rect', { class: 'brush', id: 'brush', x: 0, y: top, width: 0, height: '100%' }));
  return h('div', { class: 'overlay', 'aria-hidden': 'true' }, s('svg', {}, kids));
};

const overviewShown = () => view.to - view.from < view.run.n - 0.01 || view.run.n > 300;

const measure = () => {
  const gutter = view.gutter = parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--gutter')) || 0;
  const em = parseFloat(getComputedStyle(document.documentElement).fontSize);
  view.width = view.printing ? 560 : Math.max(220, Math.floor($('rows').clientWidth - gutter * em));
};

// draw draws the whole timeline anew. What had the focus has it afterwards.
const draw = () => {
  const r = view.run, box = $('rows');
  if (!r || r.n === 0) {
    box.replaceChildren(h('p', { class: 'empty' }, r ? 'No turn of this run could be kept.' : 'There is no turn to show: the recording holds no call of a model.'));
    return;
  }
  measure();
  const had = document.activeElement && box.contains(document.activeElement) ? document.activeElement : null;
  const onTurns = had && had.id === 'turns', onLabel = had && had.dataset.rule;
  lanes.rows = [];
  box.setAttribute('aria-label', 'Timeline of ' + brief(r.id) + ', ' + count(r.n, 'turn'));
  box.replaceChildren(...(overviewShown() ? [overviewRow()] : []), axisRow(), contextRow(), ...trialRows(), ...saidRow(), ...toolRows(), ...laneRows());
  box.append(overlay(box));
  for (const track of box.querySelectorAll('.row:not(.overview) > .track')) listen(track);
  $('z-time').hidden = !r.passed;
  $('z-time').setAttribute('aria-pressed', String(!!timed()));
  $('z-in').disabled = view.to - view.from <= least + 0.01;
  $('z-out').disabled = $('z-all').disabled = view.to - view.from >= r.n - 0.01;
  tellCursor();
  if (onTurns) $('turns').focus({ preventScroll: true });
  else if (onLabel) box.querySelector('.lane [data-rule="' + onLabel + '"]')?.focus({ preventScroll: true });
  else if (had) focusMark(lanes.focus, false);
};

// look shows the turns from a to b, moved and widened so that they are turns of the run.
let moving = 0;
const look = (a, b, smooth) => {
  const n = Math.max(view.run.n, 1), wide = clamp(b - a, Math.min(least, n), n);
  const from = clamp((a + b) / 2 - wide / 2, 0, n - wide), to = from + wide;
  cancelAnimationFrame(moving);
  if (!smooth || still.matches || document.hidden) { view.from = from; view.to = to; draw(); return; }
  const was = [view.from, view.to], began = performance.now();
  const frame = (now) => {
    const k = clamp((now - began) / 160, 0, 1), e = 1 - (1 - k) ** 3;
    view.from = was[0] + (from - was[0]) * e;
    view.to = was[1] + (to - was[1]) * e;
    draw();
    if (k < 1) moving = requestAnimationFrame(frame);
  };
  moving = requestAnimationFrame(frame);
};
const zoom = (factor, around, smooth = true) => {
  const c = around === undefined ? (view.from + view.to) / 2 : around;
  look(c - (c - view.from) * factor, c + (view.to - c) * factor, smooth);
};
const whole = () => look(0, view.run.n, true);

// reveal moves the view so far that a turn can be seen.
const reveal = (turn) => {
  const wide = view.to - view.from, margin = Math.min(wide / 8, 4);
  if (turn + 0.5 < view.from + margin && view.from > 0) look(turn + 0.5 - margin * 2, turn + 0.5 - margin * 2 + wide, false);
  else if (turn + 0.5 > view.to - margin && view.to < view.run.n) look(turn + 0.5 + margin * 2 - wide, turn + 0.5 + margin * 2, false);
};
