// pi-coding-agent: its command, once for each prompt of one session.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { form, model, play, url } from '../js/scene.mjs';

const home = mkdtempSync(join(process.cwd(), 'home-'));
const agent = join(home, '.pi', 'agent');
mkdirSync(agent, { recursive: true });
const [api, baseUrl] = { anthropic: ['anthropic-messages', url], chat: ['openai-completions', url + '/v1'] }[form];
const models = [{ id: model, reasoning: true }];
writeFileSync(join(agent, 'models.json'), JSON.stringify({ providers: { fake: { baseUrl, api, apiKey: 'key', models } } }));
writeFileSync(join(home, 'a.go'), 'package a\n');
let goesOn = [];

await play(async (prompt) => {
  const args = [join(process.cwd(), 'node_modules/.bin/pi'), ...goesOn, '--provider', 'fake', '--model', model, '-p', prompt];
  const r = spawnSync('node', args, { cwd: home, env: { ...process.env, HOME: home, PI_OFFLINE: '1' }, encoding: 'utf8', timeout: 60000 });
  if (r.status !== 0) throw new Error(r.stderr + r.stdout);
  goesOn = ['-c'];
  return r.stdout.trim();
});
