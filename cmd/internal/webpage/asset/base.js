// Small tools of the page. Texts reach the document as text nodes and attributes only: the page never makes markup of them.
const $ = (id) => document.getElementById(id);

const build = (el, props, kids) => {
  for (const [k, v] of Object.entries(props || {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith('on')) el.addEventListener(k.slice(2), v);
    else el.setAttribute(k, v === true ? '' : v);
  }
  for (const kid of kids.flat(Infinity)) if (kid !== undefined && kid !== null && kid !== false) el.append(kid);
  return el;
};
const h = (tag, props, ...kids) => build(document.createElement(tag), props, kids);
const s = (tag, props, ...kids) => build(document.createElementNS('http://www.w3.org/2000/svg', tag), props, kids);

// words stands around a recorded text: its direction is its own and leaves what is beside it alone.
const words = (text, props) => h('bdi', props, text);

// code shows a trigger: long ones break where a reader would break them.
const code = (source) => h('code', { dir: 'ltr' }, source.split(/(?<=[,|(:]|&&)(?=\S)/).flatMap((piece, i) => (i ? [h('wbr', {}), piece] : [piece])));

const number = new Intl.NumberFormat('en-US');
const num = (n) => number.format(n);
const count = (n, unit) => num(n) + ' ' + unit + (n === 1 ? '' : 's');
const percent = (thousandths) => (thousandths < 100 && thousandths % 10 ? (thousandths / 10).toFixed(1) : Math.round(thousandths / 10)) + '%';
const clamp = (x, lo, hi) => Math.min(Math.max(x, lo), hi);
const line = (text) => text.replace(/\s+/g, ' ').trim();
const short = (text, n) => { const t = [...line(text)]; return t.length > n ? t.slice(0, n - 1).join('').trimEnd() + '…' : t.join(''); };

const two = (n) => String(n).padStart(2, '0');
const clock = (sec) => { const d = new Date(sec * 1000); return two(d.getUTCHours()) + ':' + two(d.getUTCMinutes()); };
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const day = (sec) => { const d = new Date(sec * 1000); return d.getUTCDate() + ' ' + months[d.getUTCMonth()] + ' ' + d.getUTCFullYear(); };
// days names the days from one time to another, what they share but once.
const days = (from, to) => {
  const a = day(from), b = day(to), year = a.slice(-5), month = a.slice(a.indexOf(' '));
  if (a === b) return a;
  return (b.endsWith(month) ? a.slice(0, -month.length) + '–' : (b.endsWith(year) ? a.slice(0, -5) : a) + ' – ') + b;
};
const span = (sec) => {
  if (sec < 60) return sec + ' s';
  if (sec < 3600) return Math.round(sec / 60) + ' min';
  if (sec < 48 * 3600) return Math.floor(sec / 3600) + ' h ' + Math.round(sec % 3600 / 60) + ' min';
  return Math.round(sec / 86400) + ' days';
};

// lower returns where in a sorted list the first item is whose key is not below x.
const lower = (list, x, key) => {
  let lo = 0, hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (key(list[mid]) < x) lo = mid + 1; else hi = mid;
  }
  return lo;
};

const still = matchMedia('(prefers-reduced-motion: reduce)');
const say = (text) => { $('live').textContent = text; };
