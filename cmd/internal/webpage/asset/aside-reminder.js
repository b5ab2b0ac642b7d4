// <aside-reminder>: a reminder beside the message that it went with, as a grey line that opens on request.
//
//   <aside-reminder name="run-tests" file="rules/tests.md" turn="3" why="after_tool:Edit" tokens="12"
//     outcome="heeded">Files have changed. Run the tests.</aside-reminder>
//
// Or from a script: element.reminder = {id, file, turn, why, tokens, outcome, text}, as transport.Segments and
// "aside view --json" have them. All of it is shown as text, never as markup. The attribute open says whether
// it is open; the event toggle tells that it was opened or closed. Colours and fonts are the custom properties
// --aside-ink, --aside-soft, --aside-paper, --aside-line, --aside-focus and --aside-font; the parts are summary, name,
// outcome, body, text and facts. AsideReminder.words has the words that it shows, for another language.
//
// One file, no dependencies, and no inline style, so that a strict content security policy lets it pass.
(() => {
  'use strict';
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host {
      --_ink: var(--aside-ink, light-dark(#1d1c1a, #e8e6e1));
      --_soft: var(--aside-soft, light-dark(#615c54, #a8a49c));
      --_paper: var(--aside-paper, light-dark(#f2f0ea, #1c1e21));
      --_line: var(--aside-line, light-dark(#8f897f, #6f6c67));
      display: block; margin-block: .35rem; font: var(--aside-font, .85rem/1.45 system-ui, sans-serif);
    }
    :host([hidden]), [hidden] { display: none !important; }
    button {
      display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; inline-size: 100%; min-block-size: 1.75rem;
      margin: 0; padding: .2rem .6rem; border: 0; border-inline-start: 3px solid var(--_line); border-radius: 0;
      font: inherit; text-align: start; color: var(--_soft); background: none; cursor: pointer;
    }
    button:hover { color: var(--_ink); background: var(--_paper); }
    button:focus-visible { outline: 2px solid var(--aside-focus, light-dark(#1d5fbf, #8fc0ff)); outline-offset: 1px; }
    button::before { content: "▸" / ""; }
    button[aria-expanded="true"]::before { content: "▾" / ""; }
    [part="name"] { overflow-wrap: anywhere; unicode-bidi: isolate; }
    [part="body"] {
      padding: .4rem .8rem .6rem; border-inline-start: 3px solid var(--_line); color: var(--_ink); background: var(--_paper);
    }
    [part="text"] { display: block; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; max-block-size: 24rem; overflow: auto; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .5rem 0 0; color: var(--_soft); }
    dl:empty { display: none; }
    dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: plaintext; }
    @media (forced-colors: active) { button, [part="body"] { border-inline-start-color: CanvasText; } }`);

  const facts = ['why', 'turn', 'outcome', 'tokens', 'file'];
  const make = (tag, part, props = {}) => {
    const e = Object.assign(document.createElement(tag), props);
    if (part) e.setAttribute('part', part);
    return e;
  };

  class AsideReminder extends HTMLElement {
    static observedAttributes = ['name', 'open', ...facts];
    static words = {
      reminder: 'Reminder', why: 'Why', turn: 'Turn', outcome: 'Outcome', tokens: 'Tokens', file: 'Rule',
      heeded: 'heeded', ignored: 'ignored', open: 'open', waiting: 'waiting',
    };
    #button = make('button', 'summary', { type: 'button' });
    #name = make('span', 'name');
    #outcome = make('span', 'outcome');
    #body = make('div', 'body', { id: 'body', hidden: true });
    #facts = make('dl', 'facts');

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet];
      this.#button.setAttribute('aria-controls', 'body');
      this.#button.append(this.#name, this.#outcome);
      const text = make('div', 'text', { tabIndex: 0 });
      text.append(document.createElement('slot'));
      this.#body.append(text, this.#facts);
      root.append(this.#button, this.#body);
      this.#button.addEventListener('click', () => {
        this.open = !this.open;
        this.dispatchEvent(new Event('toggle'));
      });
      this.#draw();
    }

    attributeChangedCallback() { this.#draw(); }

    focus(options) { this.#button.focus(options); }

    get open() { return this.hasAttribute('open'); }
    set open(yes) { this.toggleAttribute('open', Boolean(yes)); }

    set reminder(r) {
      for (const [name, value] of [['name', r.id], ...facts.map((f) => [f, r[f]])]) {
        if (value === undefined || value === null || value === '') this.removeAttribute(name);
        else this.setAttribute(name, value);
      }
      this.textContent = r.text;
    }

    #draw() {
      const { words } = AsideReminder;
      const said = (name) => {
        const value = this.getAttribute(name) ?? '';
        return name === 'outcome' && Object.hasOwn(words, value) ? words[value] : value;
      };
      this.#name.textContent = [words.reminder, said('name')].filter(Boolean).join(' ');
      this.#outcome.textContent = said('outcome');
      this.#button.setAttribute('aria-expanded', this.open);
      this.#body.hidden = !this.open;
      this.#facts.replaceChildren(...facts.filter((f) => said(f) !== '').flatMap((f) => [
        make('dt', '', { textContent: words[f] }), make('dd', '', { textContent: said(f) })]));
    }
  }
  if (!customElements.get('aside-reminder')) customElements.define('aside-reminder', AsideReminder);
  globalThis.AsideReminder ??= AsideReminder;
})();
