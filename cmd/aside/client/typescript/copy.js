// The copy of a framework's messages that is to be sent: the engine places texts among messages of the generic shape,
// and the framework's own messages take them over. Messages and blocks of the host carry their index in "at".

/**
 * @template M
 * @param {import('./index.js').Aside} aside
 * @param {M[]} messages
 * @param {{ generic(m: M): object, put(m: M, blocks: object[]): M[], fresh(text: string): M }} form generic returns a
 *   message with blocks; put returns the messages for one whose blocks have changed: those of the host, and texts
 *   without "at"; fresh returns a message for the beginning of a conversation without a system prompt
 */
export async function copy(aside, messages, form, { run, model, facts }) {
  const generic = messages.map((m, at) => {
    const g = form.generic(m);
    return { ...g, content: g.content.map((block, at) => ({ ...block, at })), at };
  });
  const { request } = await aside.request(run, { model, messages: generic }, { facts });
  const out = [];
  for (const g of request.messages) {
    if (g.at === undefined) {
      out.push(form.fresh([g.content].flat().map((c) => c.text ?? c).join('\n\n')));
      continue;
    }
    const was = generic[g.at];
    const same = g.content.length === was.content.length && g.content.every((b, i) => said(b) === said(was.content[i]));
    out.push(...(same ? [messages[g.at]] : form.put(messages[g.at], g.content)));
  }
  return out;
}

const said = (block) => block.text ?? JSON.stringify(block.content);
