// The colours of a page: as the system has them, light, or dark.
const themes = ['system', 'light', 'dark'];
let theme = 'system';
try { theme = localStorage.getItem('aside-theme') || 'system'; } catch { /* a page from a file may have no storage */ }
const dress = (t) => {
  theme = themes.includes(t) ? t : 'system';
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme;
  $('theme').replaceChildren(s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('circle', { cx: 8, cy: 8, r: 5.5 }), s('path', { d: { system: 'M8 2.5v11a5.5 5.5 0 0 0 0-11z', light: '', dark: 'M8 2.5a5.5 5.5 0 1 0 .01 0z' }[theme], fill: 'currentColor', stroke: 'none' })), h('span', {}, h('span', { class: 'sr' }, 'Colours: '), { system: 'System', light: 'Light', dark: 'Dark' }[theme]));
};
$('theme').addEventListener('click', () => {
  dress(themes[(themes.indexOf(theme) + 1) % themes.length]);
  try { localStorage.setItem('aside-theme', theme); } catch { /* then for this visit alone */ }
  say('Colours: ' + theme);
});
