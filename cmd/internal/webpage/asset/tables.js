// The tables: what became of each reminder, and every firing as a row.
// A table says its parts by role as well: on a narrow screen each row is laid out as a card, and it stays a table all the same.
const roles = (table) => {
  build(table, { role: 'table', class: 'cards' }, []);
  for (const el of table.querySelectorAll('thead, tbody, tfoot')) el.setAttribute('role', 'rowgroup');
  for (const el of table.querySelectorAll('tr')) el.setAttribute('role', 'row');
  for (const el of table.querySelectorAll('td')) el.setAttribute('role', 'cell');
  for (const el of table.querySelectorAll('th')) el.setAttribute('role', el.getAttribute('scope') === 'col' ? 'columnheader' : 'rowheader');
};

const sorting = { key: 'fires', down: true };
const columns = [
  { key: 'id', label: 'Reminder', of: (q) => q.id },
  { key: 'tier', label: 'Tier', of: (q) => tiers.indexOf(q.tier) },
  { key: 'fires', label: 'Fires', n: true, of: (q) => q.fires },
  { key: 'first', label: 'First', n: true, of: (q) => q.first[0] * 1e7 + q.first[1] },
  { key: 'last', label: 'Last', n: true, of: (q) => q.last[0] * 1e7 + q.last[1] },
  { key: 'tokens', label: 'Tokens', n: true, of: (q) => q.tokens },
  { key: 'held', label: 'Turns held', n: true, of: (q) => q.held || 0 },
];

const placeOf = ([run, turn], i) => {
  const label = runs.length > 1 ? 'run ' + run + ', ' + num(turn) : num(turn);
  const known = runs[run - 1] && turn <= runs[run - 1].n;
  return known ? h('button', { type: 'button', class: 'link', 'aria-label': rules[i].id + ' on ' + (runs.length > 1 ? 'run ' + run + ', ' : '') + 'turn ' + num(turn), onclick: () => visit(run - 1, turn - 1, i) }, label) : label;
};

const ruleTable = () => {
  const fired = rules.map((q, i) => ({ ...q, i })).filter((q) => q.fires > 0), never = rules.filter((q) => q.fires === 0);
  const col = columns.find((c) => c.key === sorting.key);
  fired.sort((a, b) => { const p = col.of(a), q = col.of(b); return (p < q ? -1 : p > q ? 1 : 0) * (sorting.down ? -1 : 1) || (a.id < b.id ? -1 : 1); });
  const total = fired.reduce((a, q) => a + q.tokens, 0), fires = fired.reduce((a, q) => a + q.fires, 0), top = Math.max(1, ...fired.map((q) => q.tokens));
  const used = columns.filter((c) => c.key !== 'held' || fired.some((q) => q.held));
  $('reminders-note').textContent = rules.length === 0 ? 'No rules were given.' : count(fired.length, 'reminder') + ' of ' + num(rules.length) + ' fired' + (runs.length > 1 ? ', all runs together' : '');
  const head = h('tr', {}, used.map((c) => h('th', { scope: 'col', class: c.n ? 'n' : '', 'aria-sort': c.key === sorting.key ? (sorting.down ? 'descending' : 'ascending') : null }, h('button', { type: 'button', 'data-sort': c.key, onclick: () => { sorting.down = sorting.key === c.key ? !sorting.down : !!c.n; sorting.key = c.key; ruleTable(); $('rule-table').querySelector('[data-sort="' + c.key + '"]').focus(); } }, c.label))));
  const cells = {
    id: (q) => h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link rule-name', onclick: () => visit(q.first[0] - 1, q.first[1] - 1, q.i) }, q.id), h('span', { class: 'rule-sub', title: q.trigger }, q.mode + ': ', code(q.trigger))),
    tier: (q) => h('td', { 'data-head': 'tier' }, tierMark(q.tier)),
    fires: (q) => h('td', { class: 'n', 'data-head': 'fires' }, num(q.fires)),
    first: (q) => h('td', { class: 'n', 'data-head': 'first' }, placeOf(q.first, q.i)),
    last: (q) => h('td', { class: 'n', 'data-head': 'last' }, placeOf(q.last, q.i)),
    tokens: (q) => h('td', { class: 'n', 'data-head': 'tokens' }, num(q.tokens), s('svg', { class: 'share', viewBox: '0 0 84 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, s('rect', { width: px(84 * q.tokens / top), height: 6, rx: 3 }))),
    held: (q) => h('td', { class: 'n', 'data-head': 'turns held' }, num(q.held || 0)),
  };
  const body = fired.map((q) => h('tr', {}, used.map((c) => cells[c.key](q))));
  $('rule-table').replaceChildren(h('caption', { class: 'sr' }, 'Reminders that fired'), h('thead', {}, head), h('tbody', {}, body),
    h('tfoot', {}, h('tr', {}, h('th', { scope: 'row', colspan: 2 }, 'In all'), h('td', { class: 'n', 'data-head': 'fires' }, num(fires)), h('td', { colspan: 2 }), h('td', { class: 'n', 'data-head': 'tokens' }, num(total), h('span', { class: 'share', 'aria-hidden': 'true' })), used.length > 6 ? h('td', {}) : null)));
  roles($('rule-table'));
  $('rule-table').hidden = fired.length === 0;
  $('rule-table').querySelectorAll('tfoot .share').forEach((el) => { el.style.visibility = 'hidden'; });
  $('never').replaceChildren(...(never.length ? [h('h3', {}, 'Never fired, and why'), h('dl', {}, never.map((q) => h('div', {}, h('dt', {}, h('span', { class: 'rule-name' }, q.id), h('span', { class: 'rule-sub', title: q.trigger }, q.mode + ': ', code(q.trigger))), h('dd', {}, words(q.never || 'it did not come to that')))))] : []));
};

let fireRows = 100;
const fireTable = () => {
  const r = view.run, list = r ? r.fires.filter(fits) : [], timed = r && r.times, shown = list.slice(0, fireRows);
  $('firings-note').textContent = r ? count(list.length, 'firing') + (narrowed() ? ' of ' + num(r.fires.length) : '') + ' in run ' + brief(r.id) : '';
  const heads = ['Turn', timed && 'Time', 'Context', 'Reminder', 'Why', 'Text', 'Tokens'].filter(Boolean);
  $('fire-table').replaceChildren(h('caption', { class: 'sr' }, 'Every firing of the run, in order'),
    h('thead', {}, h('tr', {}, heads.map((t) => h('th', { scope: 'col', class: /Turn|Tokens|Context/.test(t) ? 'n' : '' }, t)))),
    h('tbody', {}, shown.map((f) => h('tr', { 'data-key': f.turn + ' ' + f.rule },
      h('td', { class: 'n', 'data-head': 'turn' }, num(f.turn + 1)), timed ? h('td', { 'data-head': 'time' }, timeOf(r, f.turn)) : null,
      h('td', { class: 'n', 'data-head': 'context' }, r.usage[f.turn] >= 0 ? percent(r.usage[f.turn]) : '–'),
      h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link rule-name', 'aria-label': rules[f.rule].id + ', turn ' + num(f.turn + 1) + ': show why', onclick: () => { choose(f, true); reveal(f.turn); toDetail(); } }, rules[f.rule].id)),
      h('td', { class: 'why', 'data-head': 'why' }, f.manual ? 'by name' : code(short(f.why, 160))), h('td', { class: 'says' }, words(short(f.text, 140))), h('td', { class: 'n', 'data-head': 'tokens' }, num(f.tokens))))));
  roles($('fire-table'));
  $('fire-table').hidden = list.length === 0;
  const rest = list.length - shown.length;
  $('fire-more').hidden = rest <= 0;
  $('fire-more').textContent = 'Show ' + num(Math.min(rest, 400)) + ' more';
  markRow();
};

const markRow = () => {
  const e = view.chosen, key = e && e.kind === 'fire' ? e.turn + ' ' + e.rule : null;
  for (const tr of $('fire-table').querySelectorAll('tbody tr')) {
    tr.classList.toggle('on', tr.dataset.key === key);
    tr.classList.toggle('auto', !!view.auto);
  }
};

const toDetail = () => {
  $('timeline').scrollIntoView({ block: 'start', behavior: still.matches ? 'auto' : 'smooth' });
  $('detail').focus({ preventScroll: true });
};

// visit shows a firing wherever it is.
const visit = (k, turn, rule) => {
  if (view.run !== runs[k]) chooseRun(k);
  const f = view.run.fires.find((e) => e.turn === turn && e.rule === rule);
  if (!f) return;
  if (!fits(f)) clearFilters();
  choose(f, true);
  reveal(turn);
  toDetail();
};
