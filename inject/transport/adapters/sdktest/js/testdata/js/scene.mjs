// The session that every client plays: what the person says comes from the test, the tools are here.
export const [url, model, form] = process.argv.slice(2);
export const stream = form.includes('stream');
export const prompts = JSON.parse(process.env.PROMPTS);

export const schema = { type: 'object', properties: { path: { type: 'string' } } };

// Tools by name. A path that ends in ".bad" fails.
export const run = (name) => ({ path }) => {
  if (path.endsWith('.bad')) throw new Error(`${name}: exit status 1`);
  return `${name} of ${path}: done`;
};
export const names = ['Read', 'Edit', 'Bash'];

// play says the prompts to ask, and tells the test what came back.
export async function play(ask) {
  const said = [];
  for (const prompt of prompts) said.push(await ask(prompt));
  console.log(JSON.stringify(said));
}
