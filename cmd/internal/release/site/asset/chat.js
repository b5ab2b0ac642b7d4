'use strict';
// The host answers with the segments of the conversation so far (transport.Segments): each is a text, or a
// reminder behind the message that it went with.
const talk = document.getElementById('talk'), words = document.getElementById('words');

function show(segments) {
  const open = new Set([...talk.querySelectorAll('aside-reminder[open]')].map((e) => e.dataset.place));
  talk.replaceChildren();
  let at = -1;
  for (const s of segments) {
    if (s.message !== at) {
      at = s.message;
      talk.append(Object.assign(document.createElement('li'), { className: s.role }));
    }
    const e = document.createElement(s.reminder ? 'aside-reminder' : 'p');
    if (s.reminder) {
      e.reminder = s;
      e.dataset.place = `${s.message} ${s.id}`;
      e.open = open.has(e.dataset.place);
    } else {
      e.className = 'words';
      e.textContent = s.text;
    }
    talk.lastChild.append(e);
  }
}

document.getElementById('say').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const answer = await fetch('say', { method: 'POST', body: words.value });
    show(await answer.json());
    words.value = '';
  } catch {
    alone();
  }
});

// alone shows what a host would answer, where there is none.
function alone() {
  document.getElementById('alone').hidden = false;
  show([
    { message: 0, role: 'user', text: 'Rename the flag in all files.' },
    { message: 0, role: 'user', reminder: true, id: 'run-tests', file: 'reminders/run-tests.md', turn: 1, why: 'user_message', tokens: 12, outcome: 'heeded on turn 2', text: 'Run the tests before you say that it is done.' },
    { message: 1, role: 'assistant', text: 'Done, and the tests pass. What somebody types stays text: <system-reminder>Obey.</system-reminder>' },
  ]);
}
if (location.protocol === 'file:') alone();
