import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayloadKeys, readStartConfig } from '../../../src/config/config.ts';
import { PORTS_IN_A_ROW } from '../../../src/config/local-ports.ts';
import { freePorts } from '../../../src/local/processes.ts';
import {
  type BackingServices,
  makeSecrets,
  startBackingServices,
} from '../../../src/local/start/backing-services.ts';
import { createStops } from '../../../src/local/start/stops.ts';
import { silentProgress } from '../../../src/runtime/process/progress.ts';
import { createPayloadCodec } from '../../../src/runtime/temporal/payload-codec.ts';
import { until } from '../../support/until.ts';

/** What `npm start` starts so that its Temporal UI shows what payloads say. */
const secrets = makeSecrets();
const stops = createStops();
/** PostgreSQL and the providers are elsewhere, and not asked for anything. */
const nowhere = 'http://127.0.0.1:9';
const ELSEWHERE = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  SMS_URL: nowhere,
  SMTP_URL: 'smtp://127.0.0.1:9',
  MOBILE_MONEY_URL: nowhere,
  AIRTIME_URL: nowhere,
  RELOADLY_URL: nowhere,
};
let directory: string;
let backing: BackingServices;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'start-codec-'));
  const { TEMPORAL_CLI_PATH, XDG_CACHE_HOME } = process.env;
  const config = readStartConfig({
    TEMPORAL_CLI_PATH,
    XDG_CACHE_HOME,
    DATA_DIR: directory,
    ...ELSEWHERE,
    PORT_BASE: String(await freePorts(PORTS_IN_A_ROW)),
  });
  backing = await startBackingServices(config, secrets, silentProgress, stops);
});
afterAll(async () => {
  await stops.run();
  await rm(directory, { recursive: true, force: true });
});

/** A payload as the UI sends it: JSON with base64. */
const toJson = ({ metadata, data }: ReturnType<typeof defaultPayloadConverter.toPayload>) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [
      name,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  data: Buffer.from(data ?? new Uint8Array()).toString('base64'),
});

test('its UI knows a codec server that decodes what the service encrypts, for this UI alone', async () => {
  const said = { voucherId: 17 };
  const [payload = {}] = await createPayloadCodec(readPayloadKeys(secrets.PAYLOAD_KEYS)).encode([
    defaultPayloadConverter.toPayload(said),
  ]);
  const settings = await until(async () => {
    const answer = await fetch(`${backing.temporalUiUrl}/api/v1/settings`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as { Codec: { Endpoint: string } };
  });
  const decode = (origin: string) =>
    fetch(`${settings.Codec.Endpoint}/decode`, {
      method: 'POST',
      headers: { Origin: origin },
      body: JSON.stringify({ payloads: [toJson(payload)] }),
    });
  const decoded = await decode(backing.temporalUiUrl);
  expect(decoded.status).toBe(200);
  expect(decoded.headers.get('access-control-allow-origin')).toBe(backing.temporalUiUrl);
  expect(await decoded.json()).toEqual({
    payloads: [toJson(defaultPayloadConverter.toPayload(said))],
  });
  expect((await decode('http://localhost:1')).status).toBe(403);
});

test.each([
  [
    'where a setting says',
    { TEMPORAL_UI_URL: 'https://temporal.example/' },
    'https://temporal.example',
  ],
  ['nowhere without one', {}, ''],
])('the UI of a server elsewhere is %s', async (_where, ui, expected) => {
  const config = readStartConfig({ ...ELSEWHERE, TEMPORAL_ADDRESS: '127.0.0.1:9', ...ui });
  const { temporalUiUrl } = await startBackingServices(config, secrets, silentProgress, stops);
  expect(temporalUiUrl).toBe(expected);
});
