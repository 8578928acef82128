import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { smscPassword } from '../../../../src/sandbox/smpp.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/start-sandbox.ts';
import { answerWith, startRawServer } from '../../../providers/raw-server.ts';
import { providerSettings } from '../../../support/stack.ts';
import { type AdminScene, commandsOn, openScene } from '../../scene.ts';

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
  sandbox.books.setBalance('gsma', 1_234.5);
  expect(await commands().json('providers check')).toEqual([
    { provider: 'africas-talking', result: 'ok', detail: 'logged in, balance ETB 1000000.0000' },
    { provider: 'smpp', result: 'ok', detail: 'logged in; it tells no balance' },
    { provider: 'gsma', result: 'ok', detail: 'logged in, balance ETB 1234.50' },
    { provider: 'mpesa', result: 'ok', detail: 'logged in; it tells no balance' },
    { provider: 'dt-one', result: 'ok', detail: 'logged in, balance USD 1000000' },
    { provider: 'reloadly', result: 'ok', detail: 'logged in, balance USD 1000000' },
  ]);
  expect(sandbox.books.messages()).toEqual([]);
});

it('a refused login, a provider that does not answer, and a default that is not set fail', async () => {
  const broken = commands({
    SMPP_URL: sandbox.smppUrl.replace(smscPassword, 'wrong'),
    SMS_URL: undefined,
    AIRTIME_URL: 'http://127.0.0.1:1',
    MPESA_URL: undefined,
  });
  const { code, out } = await broken.admin('providers check');
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

it.each([
  [
    'that is degraded',
    200,
    { serviceStatus: 'Degraded' },
    /FAILED +It says that its service is degraded/,
  ],
  [
    'that is unavailable',
    200,
    { serviceStatus: 'unavailable' },
    /FAILED +It says .* is unavailable/,
  ],
  [
    'that nobody can read',
    200,
    'It works!',
    /FAILED +HTTP status 200, without a readable heartbeat/,
  ],
  ['with a fault', 503, {}, /FAILED +HTTP status 503/],
  ['that is missing', 404, {}, /ok +logged in, balance ETB/],
])('a heartbeat of GSMA %s', async (_what, status, body, words) => {
  const beats = answerWith(status, body);
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = await fetch(`${sandbox.mobileMoneyUrl}${request.url}`, {
      headers: { authorization: request.headers.authorization ?? '' },
    });
    response.writeHead(answer.status, { 'Content-Type': 'application/json' });
    response.end(await answer.text());
  };
  const provider = await startRawServer((request, response) => {
    if (request.url?.endsWith('/heartbeat')) beats(request, response);
    else void pass(request, response);
  });
  const { out } = await commands({ MOBILE_MONEY_URL: provider.url }).admin('providers check');
  await provider.close();
  expect(/gsma +(.*)/.exec(out)?.[1]).toMatch(words);
});

it('a provider with a fault fails', async () => {
  for (const provider of ['africas-talking', 'mpesa', 'reloadly'] as const)
    sandbox.faults.set(provider, { ...sandbox.faults.of(provider), answers: 'not-authorised' });
  const { code, out } = await commands().admin('providers check');
  expect(code).toBe(2);
  expect(out.match(/FAILED/g)).toHaveLength(3);
  sandbox.faults.clear();
});
