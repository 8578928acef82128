import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/start-sandbox.js';
import { providerSettings } from '../../../support/stack.js';
import { type AdminScene, commandsOn, openScene } from '../../scene.js';

let scene: AdminScene;
let sandbox: Sandbox;
beforeAll(async () => {
  scene = await openScene();
  sandbox = await startSandbox({ port: 0 });
});
afterAll(async () => {
  await sandbox?.close();
  await scene?.close();
});

const commands = (changes: Record<string, string | undefined> = {}) =>
  commandsOn({ ...scene.environment, ...providerSettings(sandbox), ...changes });

it('each provider of the sandbox accepts the login, and tells its balance where it has one', async () => {
  sandbox.books.balances.set('gsma', 1_234.5);
  expect(await commands().json('check providers')).toEqual([
    { provider: 'africas-talking', result: 'ok', detail: 'logged in, balance ETB 1000000.0000' },
    { provider: 'smpp', result: 'ok', detail: 'logged in; it tells no balance' },
    { provider: 'gsma', result: 'ok', detail: 'logged in, balance ETB 1234.50' },
    { provider: 'mpesa', result: 'ok', detail: 'logged in; it tells no balance' },
    { provider: 'dt-one', result: 'ok', detail: 'logged in, balance USD 1000000' },
    { provider: 'reloadly', result: 'ok', detail: 'logged in, balance ETB 1000000' },
  ]);
  expect(sandbox.books.messages()).toEqual([]);
});

it('a refused login, a provider that does not answer, and a default that is not set fail', async () => {
  const broken = commands({
    SMPP_PASSWORD: 'wrong',
    SMS_URL: undefined,
    AIRTIME_URL: 'http://127.0.0.1:1',
    MPESA_URL: undefined,
  });
  const { code, out } = await broken.admin('check providers');
  expect(code).toBe(2);
  for (const line of [
    /africas-talking +FAILED +not configured, and the default of its kind/,
    /smpp +FAILED +The SMSC refused the bind: RINVPASWD/,
    /gsma +ok/,
    /mpesa +not configured/,
    /dt-one +FAILED/,
  ])
    expect(out).toMatch(line);
  expect(out).not.toContain('wrong');
});

it('a provider with a fault fails', async () => {
  for (const provider of ['africas-talking', 'mpesa', 'reloadly'] as const)
    sandbox.faults.set(provider, { ...sandbox.faults.of(provider), answers: 'not-authorised' });
  const { code, out } = await commands().admin('check providers');
  expect(code).toBe(2);
  expect(out.match(/FAILED/g)).toHaveLength(3);
  sandbox.faults.clear();
});
