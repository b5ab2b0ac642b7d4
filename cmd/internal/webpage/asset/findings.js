// The findings of a rule that somebody types: each a button that selects its place in the field.
// offset returns where a line and a column, in characters from 1, are in a text.
const offset = (text, line, column) => {
  const lines = text.split('\n');
  let at = 0;
  for (let i = 0; i < line - 1 && i < lines.length; i++) at += lines[i].length + 1;
  return at + [...(lines[line - 1] || '')].slice(0, column - 1).join('').length;
};
const showFindings = (list, box, field) => {
  const element = (tag, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    e.textContent = text;
    return e;
  };
  box.replaceChildren(...list.map((f) => {
    const li = element('li', f.severity, ''), b = element('button', '', '');
    b.type = 'button';
    b.append(element('b', '', f.severity), ` ${f.line}:${f.column} ${f.message}`);
    if (f.hint) b.append(element('br', '', ''), element('span', 'soft', f.hint));
    b.addEventListener('click', () => {
      field.focus();
      field.setSelectionRange(offset(field.value, f.line, f.column), offset(field.value, f.endLine, f.endColumn));
    });
    li.append(b);
    return li;
  }));
  if (!list.length) box.append(element('li', 'soft', 'No findings.'));
};
