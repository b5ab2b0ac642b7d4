// What the timeline and the list of firings are narrowed to. An empty field narrows nothing.
const filter = { rule: '', tier: '', tool: '', query: '' };
const narrowed = () => filter.rule !== '' || filter.tier !== '' || filter.tool !== '' || filter.query !== '';

const holds = (haystack, needle) => haystack.toLowerCase().includes(needle);
const ruleFits = (i) => (filter.rule === '' || +filter.rule === i) && (filter.tier === '' || rules[i].tier === filter.tier);
const toolFits = (r, turn) => {
  if (filter.tool === '') return true;
  const row = r.callsOn.get(turn), place = +filter.tool;
  for (let i = 1; row && i < row.length; i += 3) if (row[i] === place) return true;
  return false;
};

// fits reports whether an event is among what is asked for.
const fits = (e) => {
  const q = filter.query;
  if (e.kind === 'said' || e.kind === 'trial') return filter.rule === '' && filter.tier === '' && toolFits(e.run, e.turn) && (!q || holds(e.text, q));
  if (!ruleFits(e.rule)) return false;
  if (filter.tool !== '') {
    let some = false;
    for (let t = e.turn; t <= e.last && !some; t++) some = toolFits(e.run, t);
    if (!some) return false;
  }
  return !q || holds(rules[e.rule].id, q) || holds(e.why, q) || (e.text !== undefined && holds(e.text, q));
};

const option = (value, label) => h('option', { value }, label);

// offer fills the choices of a run: what fired or was held in it, and the tools it called.
const offer = (r) => {
  const fires = new Map(), held = new Set();
  for (const f of r.fires) fires.set(f.rule, (fires.get(f.rule) || 0) + 1);
  for (const e of [...r.held, ...r.errors]) held.add(e.rule);
  const ids = [...new Set([...fires.keys(), ...held])].sort((a, b) => a - b);
  $('f-rule').replaceChildren(option('', 'All reminders'), ...ids.map((i) => option(i, rules[i].id + ' (' + num(fires.get(i) || 0) + ')')));
  $('f-tier').replaceChildren(option('', 'All tiers'), ...tiers.filter((t) => rules.some((x) => x.tier === t)).map((t) => option(t, t)));
  $('f-tool').replaceChildren(option('', 'Any tool'), ...r.ranked.map((t) => option(t.place, short(t.name, 40) + ' (' + num(t.calls) + ')')));
  for (const [id, key] of [['f-rule', 'rule'], ['f-tier', 'tier'], ['f-tool', 'tool']]) {
    if (![...$(id).options].some((o) => o.value === filter[key])) filter[key] = '';
    $(id).value = filter[key];
  }
};

const readFilters = () => {
  filter.rule = $('f-rule').value;
  filter.tier = $('f-tier').value;
  filter.tool = $('f-tool').value;
  filter.query = $('f-query').value.trim().toLowerCase();
};

const tellFilters = (r) => {
  $('f-reset').hidden = !narrowed();
  const all = r.fires.length, some = r.fires.filter(fits).length;
  $('f-count').textContent = narrowed() ? num(some) + ' of ' + count(all, 'firing') : '';
};
