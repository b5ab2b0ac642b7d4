'use strict';
(() => {
  const query = document.getElementById('query'), hits = document.getElementById('hits');
  const most = 12;
  const excerpt = (text, word) => {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
    return text.slice(at, at + 140).replace(/[|`\s-]+/g, ' ').trim();
  };
  const search = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    hits.replaceChildren();
    hits.hidden = words.length === 0;
    if (!words.length) return;
    const found = [];
    for (const s of sections) {
      const title = (s.f + ' ' + s.t).toLowerCase(), text = title + ' ' + s.x.toLowerCase();
      if (words.every(w => text.includes(w))) found.push([words.filter(w => title.includes(w)).length, s]);
    }
    found.sort((a, b) => b[0] - a[0]);
    for (const [, s] of found.slice(0, most)) {
      const a = document.createElement('a'), small = document.createElement('small'), li = document.createElement('li');
      a.href = s.f;
      a.textContent = s.t;
      small.textContent = excerpt(s.x, words[0]);
      a.append(small);
      li.append(a);
      hits.append(li);
    }
    if (!found.length) {
      const li = document.createElement('li');
      li.textContent = 'Nothing has all these words.';
      hits.append(li);
    }
  };
  query.addEventListener('input', search);
  document.addEventListener('keydown', e => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (e.key === '/' && !typing) {
      e.preventDefault();
      query.focus();
    } else if (e.key === 'Escape' && !hits.hidden) {
      hits.hidden = true;
      query.focus();
    } else if ((e.key === 'ArrowDown' || e.key === 'ArrowUp') && !hits.hidden) {
      const links = [...hits.querySelectorAll('a')], at = links.indexOf(document.activeElement);
      const to = at + (e.key === 'ArrowDown' ? 1 : -1);
      if (to < 0) query.focus(); else if (links[to]) links[to].focus();
      e.preventDefault();
    }
  });
  if (matchMedia('(max-width: 52rem)').matches) {
    const pages = document.querySelector('nav details');
    if (pages) pages.open = false;
  }
})();
