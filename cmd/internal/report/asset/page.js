// The page as a whole: its head and the list of runs.
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
  $('title').textContent = runs.length === 0 ? 'Nothing to replay' : runs.length === 1 ? 'Replay of ' + title(runs[0], 60) : count(sessions, 'session') + ' replayed';
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
  legend();
};

const runList = () => {
  $('runs').hidden = runs.length < 2;
  if (runs.length < 2) return;
  $('run-search').hidden = runs.length < 12;
  const q = $('run-query').value.trim().toLowerCase();
  const fit = runs.filter((r) => !r.parent).flatMap((r) => [r, ...r.below]).filter((r) => !q || holds(r.id + ' ' + r.thread + ' ' + r.source + ' ' + title(r, 600), q)), shown = fit.slice(0, 200);
  $('run-list').replaceChildren(...shown.map((r) => h('li', {}, h('a', { href: '#' + (r.k + 1), class: r.parent ? 'run below' : 'run', 'data-run': r.k, 'aria-current': r === view.run ? 'true' : null, onclick: (ev) => { if (ev.ctrlKey || ev.metaKey || ev.shiftKey) return; ev.preventDefault(); chooseRun(r.k); say('Run ' + title(r, 60) + ', ' + count(r.n, 'turn') + ', ' + count(r.fires.length, 'firing')); } },
    h('span', {}, h('b', { dir: 'auto' }, title(r, 90)), h('small', {}, words(r.parent ? brief(r.id).split(' / ').pop() : brief(r.id)), ' · ', r.parent ? (born(r) >= 0 ? 'from turn ' + num(born(r) + 1) : 'a subagent') : words(baseName(r.source)))), spark(r),
    h('span', { class: 'num turns' }, count(r.n, 'turn')), h('span', { class: 'num' }, count((r.fires || []).length, 'firing'))))));
  $('run-more').hidden = fit.length === shown.length;
  $('run-more').textContent = num(fit.length - shown.length) + ' more: search to narrow them down.';
};
$('run-query').addEventListener('input', runList);

const begin = () => {
  adopt(JSON.parse($('data').textContent));
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
