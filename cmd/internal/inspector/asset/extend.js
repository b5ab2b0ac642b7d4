// extend adds turns to the data of a run. What is known of the turns from one on is told anew. The first turn of more is the one before
// them, known already: the next is told by its difference to it, and a stretch that goes on begins with it.
const places = new WeakMap(); // of the items of a list, by their JSON
const placeIn = (list, item) => {
  if (!places.has(list)) places.set(list, new Map(list.map((o, i) => [JSON.stringify(o), i])));
  const all = places.get(list), key = JSON.stringify(item);
  if (!all.has(key)) all.set(key, list.push(item) - 1);
  return all.get(key);
};
const extend = (data, more, from) => {
  const was = data.runs[0], next = more.runs[0], base = from - 1;
  const said = (i) => placeIn(data.strings, more.strings[i]);
  const partly = (i) => {
    if (i < 0) return i;
    const [shape, truths, ...values] = more.parts[i];
    return placeIn(data.parts, [placeIn(data.shapes, more.shapes[shape]), truths, ...values.map((v) => v && said(v))]);
  };
  const column = (name) => was[name] && [...was[name].slice(0, from), ...next[name].slice(1)];
  const rows = (name, form, place = 0) => [...(was[name] || []).filter((row) => row[place] < from),
    ...(next[name] || []).filter((row) => row[place] > 0).map((row) => form(row))];
  const turns = (name) => [...(was[name] || []).filter((turn) => turn < from), ...(next[name] || []).filter((turn) => turn > 0).map((turn) => base + turn)];
  const stretches = (name) => {
    const out = (was[name] || []).filter((row) => row[1] < from).map(([rule, first, last, why]) => [rule, first, Math.min(last, base), why]);
    for (const [rule, first, last, i] of next[name] || []) {
      const why = said(i), begun = first === 0 && out.findLast((row) => row[0] === rule && row[2] === base && row[3] === why);
      if (begun) begun[2] = base + last;
      else if (last > 0) out.push([rule, base + Math.max(first, 1), base + last, why]);
    }
    return out;
  };
  const run = { ...was, n: base + next.n, usage: column('usage'), tokens: column('tokens'), waits: column('waits'),
    models: rows('models', ([turn, i]) => [base + turn, said(i)]), windows: rows('windows', ([turn, n]) => [base + turn, n]),
    calls: rows('calls', ([turn, ...rest]) => [base + turn, ...rest.map((v, k) => (k % 3 ? v : said(v)))]),
    prompts: rows('prompts', ([turn, i]) => [base + turn, said(i)]), answers: rows('answers', ([turn, i]) => [base + turn, said(i)]),
    compact: turns('compact'), resumed: turns('resumed'),
    fires: rows('fires', ([rule, turn, tokens, words, why, parts, ...by]) => [rule, base + turn, tokens, said(words), said(why), partly(parts), ...by], 1),
    did: rows('did', ([turn, tool, subject, failed, output]) => [base + turn, said(tool), said(subject), failed, output && said(output)]),
    held: stretches('held'), errors: stretches('errors') };
  return { ...data, runs: [run] };
};
