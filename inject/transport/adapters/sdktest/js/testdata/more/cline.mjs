// Cline: its command, which takes one prompt a session.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { model, play, url } from '../js/scene.mjs';

const home = mkdtempSync(join(process.cwd(), 'home-'));
const env = { ...process.env, HOME: home, CLINE_NO_AUTO_UPDATE: '1' };
function cline(...args) {
  const r = spawnSync(join(process.cwd(), 'node_modules/.bin/cline'), args, { cwd: home, env, encoding: 'utf8', timeout: 60000, stdio: ['ignore', 'pipe', 'pipe'] });
  if (r.status !== 0) throw new Error(r.stderr + r.stdout);
  return r.stdout;
}
cline('auth', '-p', 'openai', '-k', 'key', '-m', model, '-b', url + '/v1');
await play(async (prompt) => {
  const events = cline('-P', 'openai', '-m', model, '--json', prompt).trim().split('\n');
  return JSON.parse(events.findLast((e) => e.includes('"run_result"'))).text;
});
