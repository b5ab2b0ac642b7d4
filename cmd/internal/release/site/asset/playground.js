'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const rule = $('rule'), first = `---
when: failures_in_row >= 3
cooldown: 5 turns
---
The last {{.failures_in_row}} turns each had a call that failed. Read the latest error in full before another attempt.
`;
  document.querySelector('main').classList.add('full');
  let name = 'sample.jsonl', session = '';

  // The rule stands in the fragment of the address, which no server is sent.
  const encode = s => btoa(Array.from(new TextEncoder().encode(s), c => String.fromCharCode(c)).join('')).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  const decode = s => new TextDecoder().decode(Uint8Array.from(atob(s.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0)));
  const shared = () => {
    try {
      return location.hash.startsWith('#rule=') ? decode(location.hash.slice(6)) : '';
    } catch {
      return '';
    }
  };
  // put writes the rule into the address, and reports whether it fits: browsers have limits, and so have chats.
  const put = () => {
    const text = rule.value.length > 20000 ? '' : encode(rule.value);
    history.replaceState(null, '', text ? '#rule=' + text : location.pathname);
    return text !== '';
  };
  rule.value = shared() || first;

  const element = (tag, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const showTurns = a => {
    const rows = [];
    for (const r of a.runs) {
      if (a.runs.length > 1) rows.push(element('li', 'soft', `${r.thread}: ${r.id}`));
      for (const t of r.turns) {
        const li = element('li');
        const usage = t.usage === null ? '' : ` ${Math.round(100 * t.usage)}%`;
        li.append(element('span', 'n', t.moment || `turn ${t.n}${usage}`));
        t.calls.forEach((c, i) => li.append(i ? ', ' : ' ', element('span', c.failed ? 'failed' : '', c.tool + (c.failed ? ' failed' : ''))));
        for (const p of t.prompts) li.append(element('div', 'said', '“' + (p.length > 200 ? p.slice(0, 200) + '…' : p) + '”'));
        for (const f of t.fired) {
          const mark = element('span', 'mark');
          mark.append(element('b', '', f.id), ` because ${f.why}`, element('br'), f.text);
          li.append(mark);
        }
        rows.push(li);
      }
    }
    $('turns').replaceChildren(...rows);
    const never = a.never.map(n => `${n.id} never fired: ${n.why}`);
    $('sum').textContent = a.note || [`${a.fires} ${a.fires === 1 ? 'firing' : 'firings'}`, ...never].join('; ') + '.';
  };
  const play = () => {
    const a = JSON.parse(aside(rule.value, name, session));
    showFindings(a.findings, $('findings'), rule);
    showTurns(a);
    const mark = $('turns').querySelector('.mark');
    if (!mark) return;
    $('turns').scrollTop = mark.parentElement.offsetTop - $('turns').offsetTop - 40;
    performance.mark('first mark');
  };
  let wait;
  rule.addEventListener('input', () => {
    clearTimeout(wait);
    wait = setTimeout(() => {
      if (!session) return;
      put();
      play();
    }, 120);
  });
  addEventListener('hashchange', () => {
    const text = shared();
    if (text && text !== rule.value) {
      rule.value = text;
      if (session) play();
    }
  });
  $('share').addEventListener('click', async () => {
    if (!put()) {
      $('shared').textContent = 'The rule is too long for a link.';
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      $('shared').textContent = 'Copied.';
    } catch {
      $('shared').textContent = 'It is in the address of this page.';
    }
  });
  $('own').addEventListener('change', async () => {
    const file = $('own').files[0];
    if (!file) return;
    name = file.name;
    session = await file.text();
    if (globalThis.aside) play(); // else as soon as it is loaded
  });

  globalThis.asideReady = () => {
    session = session || aside.sample;
    $('state').textContent = 'It runs in this page, over a made-up session of Claude Code. Nothing is sent.';
    play();
  };
  const load = async () => {
    const packed = await fetch('playground.bin');
    const program = packed.body.pipeThrough(new DecompressionStream('gzip'));
    const go = new Go();
    const { instance } = await WebAssembly.instantiateStreaming(
      new Response(program, { headers: { 'Content-Type': 'application/wasm' } }), go.importObject);
    await go.run(instance);
  };
  if (location.protocol === 'file:') {
    $('state').textContent = 'A browser loads the program from a server alone: run python3 -m http.server in this directory.';
  } else {
    load().catch(e => { $('state').textContent = 'The program could not be loaded: ' + e; });
  }
})();
