// The detail: why a reminder fired or was held, what a turn was like.
const truthWords = { t: 'true', f: 'false', u: 'unknown' };
const truthShapes = { t: 'M2 7.5 5.5 11 12 3.5', f: 'M3 3l8 8M11 3l-8 8', u: 'M4 7h6' };

const partTree = (place) => {
  const [shape, truths, ...values] = D.parts[place], list = D.shapes[shape];
  const root = h('ul', { class: 'tree' }), open = [root];
  for (let i = 0; i < truths.length; i++) {
    const depth = list[2 * i], t = truths[i], item = h('li', {});
    item.append(h('div', { class: 'part ' + t }, s('svg', { viewBox: '0 0 14 14', role: 'img', 'aria-label': truthWords[t] }, s('path', { d: truthShapes[t] })), code(list[2 * i + 1]), values[i] ? h('span', { class: 'value' }, words(text(values[i]))) : null));
    open.length = depth + 1;
    open[depth].append(item);
    if (i + 1 < truths.length && list[2 * i + 2] > depth) item.append(open[depth + 1] = h('ul', {}));
  }
  root.querySelectorAll('ul').forEach(fold);
  return root;
};

// fold puts the false ones of a long list of parts away, if some of them are true.
const fold = (ul) => {
  const dull = [...ul.children].filter((li) => li.firstChild.classList.contains('f') && li.children.length === 1);
  if (dull.length < 3 || dull.length === ul.children.length) return;
  const inner = h('ul', {});
  ul.append(h('li', {}, h('details', { class: 'fold' }, h('summary', {}, num(dull.length) + ' others are false'), inner)));
  inner.append(...dull);
};

const pairs = (...rows) => h('dl', { class: 'pairs' }, rows.filter((r) => r && r[1] !== undefined && r[1] !== '' && r[1] !== 0).map(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
const tierMark = (tier) => h('span', { class: 'tier' }, glyph(tier), tier);

const whenLine = (r, turn, last) => {
  const out = ['Turn ' + num(turn + 1) + (last > turn ? ' to ' + num(last + 1) : '') + ' of ' + num(r.n)];
  if (timeOf(r, turn)) out.push(timeOf(r, turn));
  out.push(contextWords(r, turn));
  return out.join(' · ');
};

const rulePairs = (i) => {
  const q = rules[i];
  return pairs([q.mode, code(q.trigger)], ['rearm', q.rearm && code(q.rearm)], ['for', q.for], ['cooldown', q.cooldown], ['max_fires', q.max], ['keep', q.keep], ['attach', q.attach], ['priority', q.priority], ['file', q.file && words(q.file)]);
};

const turnPairs = (r, turn) => {
  const calls = called(r, turn), model = at(r.models, turn), window = at(r.windows, turn);
  return pairs(
    ['tools before', calls.length ? calls.map((c, i) => [i ? ', ' : '', words(c.name), c.n > 1 ? ' ×' + c.n : '', c.failed ? h('span', { class: 'bad' }, c.failed === c.n ? ' failed' : ' (' + c.failed + ' failed)') : '']) : 'none'],
    ['context', r.usage[turn] >= 0 ? percent(r.usage[turn]) + (window ? ' of ' + num(window) + ' tokens' : '') : r.context[turn] > 0 ? num(r.context[turn]) + ' tokens' : 'unknown'],
    ['history', [r.compact.includes(turn) ? 'compacted before this turn' : '', r.resumed.includes(turn) ? 'resumed' : ''].filter(Boolean).join(', ')],
    ['since the turn before', r.waits && turn > 0 && r.waits[turn] > 0 ? span(r.waits[turn]) : ''],
    ['model', model ? words(text(model)) : ''],
  );
};

const eventLink = (e, label) => h('button', { type: 'button', class: 'link', onclick: () => { choose(e, true); reveal(e.turn); } }, label);

const others = (r, turn, except) => {
  const fired = r.fires.filter((f) => f.turn === turn && f !== except), held = r.held.filter((e) => e.turn <= turn && turn <= e.last && e !== except), wrong = r.errors.filter((e) => e.turn <= turn && turn <= e.last && e !== except);
  const out = [];
  if (fired.length) out.push(h('h4', {}, except && except.kind === 'fire' ? 'Also fired on this turn' : 'Fired on this turn'), h('ul', { class: 'list' }, fired.map((f) => h('li', {}, eventLink(f, rules[f.rule].id), h('span', { class: 'because' }, f.manual ? ', by name' : ', because ', f.manual ? '' : words(f.why))))));
  if (held.length) out.push(h('h4', {}, 'Held back on this turn'), h('ul', { class: 'list' }, held.map((e) => h('li', {}, eventLink(e, rules[e.rule].id), h('span', { class: 'because' }, ': ', words(e.why))))));
  const begun = r.below.filter((o) => born(o) === turn);
  if (begun.length) out.push(h('h4', {}, 'Subagents that began after this call of the model'), h('ul', { class: 'list' }, begun.map((o) => h('li', {}, h('button', { type: 'button', class: 'link', onclick: () => chooseRun(o.k) }, words(title(o, 60))), h('span', { class: 'because' }, ': ' + count(o.n, 'turn') + ', ' + count((o.fires || []).length, 'firing'))))));
  if (wrong.length) out.push(h('h4', {}, 'Could not be rendered'), h('ul', { class: 'list' }, wrong.map((e) => h('li', {}, eventLink(e, rules[e.rule].id), h('span', { class: 'because' }, ': ', words(e.why))))));
  return out;
};

const unkept = () => h('p', { class: 'when' }, 'The words are not kept.');

// around are the words before and after a firing: what was asked last, what was done, the error, the answer.
const around = (r, turn) => {
  const asked = r.said.filter((m) => m.turn <= turn).pop(), did = (r.did || []).filter(([t]) => t === turn), answer = (r.answers || []).find(([t]) => t === turn);
  const quote = (said) => (said ? h('blockquote', { class: 'says said-text', dir: 'auto' }, said) : unkept());
  return [
    asked ? [h('h4', {}, asked.turn === turn ? 'The user said' : 'The user said on turn ' + num(asked.turn + 1)), quote(asked.text)] : [],
    did.length ? [h('h4', {}, 'Calls before it'), h('ul', { class: 'list' }, did.map(([, tool, subject, failed, output]) => h('li', {}, words(text(tool)), ' ', subject ? code(text(subject)) : '', failed ? h('span', { class: 'bad' }, ' failed') : '', output ? quote(text(output)) : '')))] : [],
    answer ? [h('h4', {}, 'The model then said'), quote(text(answer[1]))] : [],
  ];
};

const saidOn = (r, turn) => r.said.filter((m) => m.turn === turn).map((m) => [h('h4', {}, 'The user said'), m.text ? h('blockquote', { class: 'says said-text', dir: 'auto' }, m.text) : unkept()]);

const fireDetail = (f) => [
  f.manual ? [h('h4', {}, 'Why'), h('p', {}, 'It was asked for by name.')] : [h('h4', {}, 'Why it fired'), f.parts >= 0 ? partTree(f.parts) : h('p', {}, code(f.why))],
  h('h4', {}, view.base ? 'What the model read' : 'What the model would have read'),
  h('blockquote', { class: 'says', dir: 'auto', tabindex: 0 }, f.text),
  h('p', { class: 'when' }, count(f.tokens, 'token')),
];

const details = {
  fire: (e) => [fireDetail(e), around(e.run, e.turn), h('h4', {}, 'The turn'), turnPairs(e.run, e.turn), others(e.run, e.turn, e), h('h4', {}, 'The rule'), rulePairs(e.rule)],
  held: (e) => [h('h4', {}, 'Why it was held back'), h('p', {}, 'Its trigger was true, and it was held back by ', words(e.why), '.'), h('h4', {}, 'The turn'), turnPairs(e.run, e.turn), others(e.run, e.turn, e), h('h4', {}, 'The rule'), rulePairs(e.rule)],
  wrong: (e) => [h('h4', {}, 'Why it could not be sent'), h('p', {}, 'Its text could not be rendered: ', words(e.why)), h('h4', {}, 'The rule'), rulePairs(e.rule), h('h4', {}, 'Its text'), h('blockquote', { class: 'says', dir: 'auto', tabindex: 0 }, rules[e.rule].text)],
  said: (e) => [e.text ? h('blockquote', { class: 'says said-text', dir: 'auto', tabindex: 0 }, e.text) : unkept(), h('h4', {}, 'The turn'), turnPairs(e.run, e.turn), others(e.run, e.turn, e)],
  trial: (e) => [h('h4', {}, 'Why it would fire'), h('p', {}, code(e.why)), h('h4', {}, 'Its text'), h('blockquote', { class: 'says', dir: 'auto', tabindex: 0 }, e.text), h('p', { class: 'when' }, count(e.tokens, 'token')), h('h4', {}, 'The turn'), turnPairs(e.run, e.turn)],
  turn: (e) => [h('h4', {}, 'What is known of it'), turnPairs(e.run, e.turn), saidOn(e.run, e.turn), others(e.run, e.turn, null)],
};
const detailNames = { fire: 'Fired', held: 'Held back', wrong: 'Not sent', said: 'User message', trial: 'Would fire', turn: 'Turn' };

const showDetail = () => {
  const e = view.chosen, box = $('detail');
  if (!e) {
    box.replaceChildren(h('h3', { id: 'h-detail' }, 'Nothing chosen'), h('p', { class: 'when' }, 'Choose a mark to see why a reminder fired, or a place on the context curve to see what a turn was like.'));
    return;
  }
  const list = neighbours(e), i = list.findIndex((o) => sameEvent(o, e));
  const go = (to) => () => { const next = list[i + to]; if (next) { choose(next, true); reveal(next.turn); $(to < 0 ? 'd-prev' : 'd-next').focus(); } };
  const arrows = h('span', { class: 'steps' },
    h('button', { type: 'button', class: 'icon', id: 'd-prev', 'aria-label': 'The one before', 'aria-disabled': String(i <= 0), onclick: go(-1) }, s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d: 'M10 3 5 8l5 5' }))),
    h('button', { type: 'button', class: 'icon', id: 'd-next', 'aria-label': 'The next one', 'aria-disabled': String(i < 0 || i >= list.length - 1), onclick: go(1) }, s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d: 'm6 3 5 5-5 5' }))));
  const eyebrow = h('div', { class: 'eyebrow' }, e.rule === undefined ? h('span', {}, detailNames[e.kind]) : h('span', { class: 'tier' }, glyph(e.kind === 'fire' ? rules[e.rule].tier : e.kind, e.kind), detailNames[e.kind] + ', ' + rules[e.rule].tier), arrows);
  const name = e.rule !== undefined ? rules[e.rule].id : e.id || 'Turn ' + num(e.turn + 1);
  box.replaceChildren(eyebrow, h('h3', { id: 'h-detail' }, name), h('p', { class: 'when' }, whenLine(e.run, e.turn, e.last)), e.rule !== undefined && rules[e.rule].desc ? h('p', { class: 'desc' }, words(rules[e.rule].desc)) : '', ...details[e.kind](e).flat(Infinity).filter(Boolean));
  box.scrollTop = 0;
};

// neighbours are what the arrows of the detail walk over: other firings of a reminder, other messages, other turns.
const neighbours = (e) => {
  if (e.kind === 'turn') return [e.turn - 1, e.turn, e.turn + 1].filter((t) => t >= 0 && t < e.run.n).map((t) => turnEvent(e.run, t));
  return { fire: e.run.fires, held: e.run.held, wrong: e.run.errors, said: e.run.said, trial: (e.run.trial || []).flatMap((t) => t.events) }[e.kind].filter((o) => o.rule === e.rule && o.id === e.id && (fits(o) || o === e));
};
const turnEvent = (r, turn) => ({ kind: 'turn', run: r, turn, last: turn });

const spoken = (e) => {
  if (e.kind === 'turn') return turnWords(e.run, e.turn);
  if (e.kind === 'said') return 'User message on turn ' + num(e.turn + 1) + ': ' + short(e.text, 300);
  if (e.kind === 'fire') return markWords([e]) + '. Text: ' + short(e.text, 300);
  return markWords([e]);
};

// choose shows an event in the detail.
const choose = (e, tell) => {
  view.chosen = e;
  view.auto = !tell; // nobody asked for it
  $('detail').toggleAttribute('data-auto', view.auto);
  if (e) {
    view.cursor = e.turn;
    if (e.kind !== 'turn') lanes.focus = e;
    const place = '#' + (view.base || e.run.k + 1) + '.' + (e.turn + 1) + (e.rule === undefined ? '' : '.' + rules[e.rule].id);
    if (tell) { try { history.replaceState(null, '', place); } catch { /* some hosts of files forbid it */ } }
  }
  showDetail();
  draw();
  markRow();
  if (tell && e) say(spoken(e));
  if (view.follow) view.follow(e, tell);
};
