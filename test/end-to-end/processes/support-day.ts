import { createHash, randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect } from 'vitest';
import { readPayloadKeys } from '../../../src/config/config.ts';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { toJson } from '../../../src/runtime/temporal/codec-server.ts';
import { createPayloadCodec } from '../../../src/runtime/temporal/payload-codec.ts';
import { makeAccount, type PortalClient } from '../../pages/portal/portal-client.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { call } from '../../support/clients.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { CLAIM } from '../gift/gift-scene.ts';
import type { Canary } from './canary.ts';
import type { ProcessGifts } from './process-gifts.ts';
import type { ProcessScene } from './process-scene.ts';

interface Day {
  readonly scene: ProcessScene;
  readonly gifts: ProcessGifts;
  readonly canary: Canary;
  readonly stack: Stack;
}

/** Sends the form of a repair on the page of a case, and waits until it is done. */
async function repair(
  { scene }: Day,
  client: PortalClient,
  [path, kind]: readonly [path: string, kind: string],
  fields: Record<string, string> = {},
): Promise<void> {
  const why = { why: 'Ticket 4711' };
  const answer = await client.submit(path, `/support/repairs/ask/${kind}`, { ...why, ...fields });
  expect([answer.status, kind]).toEqual([303, kind]);
  const id = Number(answer.location?.split('/').at(-1));
  await until(async () => expect((await findRepair(scene.database, id))?.state).toBe('DONE'));
}

/** An agent finds a customer by number and code, looks at the whole number, and repairs. */
export async function supportCustomers(day: Day, newNumber: string): Promise<void> {
  const { scene, gifts, canary, stack } = day;
  const merchant = await gifts.makeShop('000');
  const { msisdn, voucherCode } = await gifts.generate(merchant);
  await gifts.postSigned(merchant, CLAIM, { voucherCode, idempotencyKey: voucherCode });
  const { body } = await call(`${scene.sandboxUrl}/messages?to=${encodeURIComponent(msisdn)}`);
  canary.add('verification code', /\b\d{6}(?:\d\d)?\b/.exec(body[0].text)?.[0] ?? 'no code');
  const { client, account, secret } = await staffClient(stack);
  canary.add('password', account.password);
  canary.add('one-time secret', secret);
  const find = (what: string) => client.submit('/support', '/support/find', { what });
  const path = (await find(msisdn)).location ?? '';
  expect(path).toMatch(/^\/support\/vouchers\/\d+$/);
  expect((await find(voucherCode)).location).toBe(path);
  expect((await client.submit(path, `${path}/number`)).html).toContain(msisdn);
  await repair(day, client, [path, 'resend-message']);
  await repair(day, client, [path, 'extend-claim'], { minutes: '20' });
  await repair(day, client, [path, 'cancel-voucher']);
  const { id } = await scene.database
    .selectFrom('topups')
    .select('id')
    .where('status', '=', 'FAILED')
    .executeTakeFirstOrThrow();
  await repair(day, client, [`/support/top-ups/${id}`, 'retry-top-up'], { msisdn: newNumber });
}

/** An owner is told by e-mail that the company has another API key. */
export async function changeAccess(
  { scene, gifts, canary, stack }: Day,
  issueKey: (partnerId: number) => Promise<string>,
): Promise<void> {
  const { email, password } = await makeAccount(stack, { kind: 'partner', id: gifts.partner.id });
  canary.add('password', password);
  canary.add('API key', await issueKey(gifts.partner.id));
  await until(async () => {
    const { body } = await call(`${scene.sandboxUrl}/mails?to=${encodeURIComponent(email)}`);
    expect(body.length).toBeGreaterThan(0);
  });
}

/** People sign in at the codec server, rightly and wrongly, and decrypt a number. */
export async function decodePayloads(
  { scene, canary }: Day,
  msisdn: string,
  port: number,
): Promise<string> {
  const origin = 'https://temporal.example';
  const password = `password-${randomUUID()}`;
  canary.add('password', password);
  const digest = createHash('sha256').update(password).digest('hex');
  await scene
    .start('codec', {
      CODEC_SERVER_PORT: String(port),
      CODEC_SERVER_OPERATORS: `looks:${digest}`,
      TEMPORAL_UI_URL: origin,
      LOG_LEVEL: 'trace',
    })
    .logged('Codec server is listening');
  const codec = createPayloadCodec(readPayloadKeys(scene.settings.PAYLOAD_KEYS ?? ''));
  const [sealed = {}] = await codec.encode([defaultPayloadConverter.toPayload({ msisdn })]);
  const decode = (name: string, given: string) =>
    fetch(`http://127.0.0.1:${port}/decode`, {
      method: 'POST',
      headers: {
        Origin: origin,
        'X-Namespace': 'default',
        Authorization: `Basic ${Buffer.from(`${name}:${given}`).toString('base64')}`,
      },
      body: JSON.stringify({ payloads: [toJson(sealed)] }),
    });
  for (const [name, given] of [
    ['looks', msisdn],
    [msisdn, password],
  ] as const)
    expect((await decode(name, given)).status).toBe(401);
  const answer = await decode('looks', password);
  expect(answer.status).toBe(200);
  return answer.text();
}
