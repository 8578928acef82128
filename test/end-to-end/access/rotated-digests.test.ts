import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi } from '../../../src/api.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { startWorker } from '../../../src/worker.ts';
import { commandsOn, withoutEntry } from '../../admin/scene.ts';
import { invitationsOn } from '../../pages/portal/invitation-scene.ts';
import {
  type Account,
  codeOf,
  hiddenFields,
  makeAccount,
  portalClient,
} from '../../pages/portal/portal-client.ts';
import { merchantClient, newestCode, partnerClient } from '../../support/clients.ts';
import {
  CLAIM,
  done,
  GENERATE,
  type GiftScene,
  newOwner,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';

/** The steps of docs/guides/rotate-secrets.md for DIGEST_KEYS, in their order. */
const oldKey = { id: 'k1', key: randomBytes(32) };
const newKey = { id: 'k2', key: randomBytes(32) };
const dataKeys = `d1:${randomBytes(32).toString('base64')}`;
const textOf = (...keys: readonly (typeof oldKey)[]) =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');

let scene: GiftScene;
let account: Account;
const running: { stop(): Promise<unknown> }[] = [];

beforeAll(async () => {
  scene = await setGiftScene({
    DIGEST_KEY: oldKey.key.toString('base64'),
    DIGEST_KEYS: textOf(oldKey, newKey),
    DATA_KEYS: dataKeys,
    TRUSTED_PROXIES: '127.0.0.1',
    PORTAL_SIGN_INS_PER_ACCOUNT: '3',
    PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE: '7',
  });
  account = await makeAccount(scene.stack, { kind: 'partner', id: scene.partner.id });
});
afterAll(async () => {
  for (const one of running) await one.stop();
  await scene?.stop();
});

/** Another API of the service with these keys of digests; undefined is as before the rotation. */
async function startWith(digestKeys: (typeof oldKey)[] | undefined): Promise<{ url: string }> {
  const logger = createLogger('silent', 'test');
  const { secrets } = scene.stack.config;
  const config = { ...scene.stack.config, secrets: { ...secrets, digestKeys } };
  const api = await startApi(config, scene.stack.temporal, { logger, eager: false });
  running.push(api);
  return { url: `http://127.0.0.1:${api.port}` };
}

const SECOND_STEP = '/portal/account/second-factor';

interface Life {
  readonly key: string;
  readonly body: Record<string, unknown>;
  readonly voucherId: string;
  readonly voucherCode: string;
}

async function generate(at: { url: string }): Promise<Life> {
  const client = await partnerClient(at, scene.partner);
  const key = randomUUID();
  const body = {
    denominationId: scene.partner.denominations[100],
    merchantId: scene.merchant.id,
    msisdn: newOwner(),
    isRestricted: true,
  };
  const { voucher } = done(await client.post(GENERATE, body, { 'Idempotency-Key': key })).body.data;
  return { key, body, voucherId: voucher.id, voucherCode: voucher.voucherCode };
}

/** The request of an earlier generation again: it is answered, and makes nothing. */
async function expectReplay(at: { url: string }, { key, body, voucherId }: Life): Promise<void> {
  const client = await partnerClient(at, scene.partner);
  const again = done(await client.post(GENERATE, body, { 'Idempotency-Key': key }));
  expect(again.body.data.voucher.id).toBe(voucherId);
}

/** A claim at one process is redeemed at another; a wrong code and each repetition count once. */
async function expectRedemption(
  { voucherCode, voucherId, body }: Life,
  claimAt: { url: string },
  redeemAt: { url: string },
): Promise<void> {
  const claiming = await merchantClient(claimAt, scene.merchant);
  const redeeming = await merchantClient(redeemAt, scene.merchant);
  done(await claiming.post(CLAIM, { voucherCode }));
  const code = await newestCode(scene.stack, String(body.msisdn));
  const wrong = { voucherCode, verificationCode: otherCode(code), idempotencyKey: randomUUID() };
  expect((await redeeming.post(REDEEM, wrong)).status).not.toBe(200);
  expect((await claiming.post(REDEEM, wrong)).status).not.toBe(200);
  const right = { voucherCode, verificationCode: code, idempotencyKey: randomUUID() };
  const before = scene.payoutsTo(scene.merchant).length;
  const first = done(await redeeming.post(REDEEM, right));
  const again = done(await claiming.post(REDEEM, right));
  expect(again.body.data).toEqual(first.body.data);
  expect(scene.payoutsTo(scene.merchant)).toHaveLength(before + 1);
  const { rows } = await sql`
    select wrong_codes from vouchers where id = ${voucherId}`.execute(scene.stack.database);
  expect(rows).toEqual([{ wrong_codes: 1 }]);
}

/** A session made at one process holds at another. */
async function expectSession(beginAt: { url: string }, useAt: { url: string }): Promise<void> {
  const at = { url: beginAt.url };
  const browser = portalClient(at);
  expect((await browser.signIn(account)).status).toBe(303);
  at.url = useAt.url;
  expect((await browser.get('/portal')).status).toBe(200);
  const out = await browser.submit('/portal/account', '/portal/sign-out');
  expect(out.location).toContain('out=yes');
  at.url = beginAt.url;
  expect((await browser.get('/portal')).status).toBe(303);
}

/**
 * A browser that has signed in at one process is known at another, where guesses from many addresses have
 * locked out strangers.
 */
async function expectDevice(markAt: { url: string }, useAt: { url: string }): Promise<void> {
  const person = await makeAccount(scene.stack, { kind: 'partner', id: scene.partner.id });
  const at = { url: markAt.url };
  const from = (address: string) => portalClient(at, { 'X-Forwarded-For': address });
  const own = from('203.0.113.1');
  expect((await own.signIn(person)).status).toBe(303);
  at.url = useAt.url;
  for (const last of [2, 3, 4, 5])
    for (let attempt = 0; attempt < 3; attempt += 1)
      await from(`203.0.113.${last}`).signIn({ ...person, password: 'not the password' });
  expect((await from('203.0.113.6').signIn(person)).status).toBe(429);
  expect((await own.signIn(person)).status).toBe(303);
  await scene.stack.database.deleteFrom('portal_sign_in_attempts').execute();
}

/** The link of an invitation, whose token the worker makes, opens at a process. */
async function expectInvitation(at: { url: string }): Promise<void> {
  const { invited, activate } = invitationsOn({ ...scene.stack, url: at.url });
  const { path } = await invited();
  const { client, answer } = await activate(path);
  expect(answer).toMatchObject({ status: 303, location: '/portal/getting-started' });
  expect((await client.get('/portal')).status).toBe(200);
}

/** A password entered at one process, and a recovery code of there at another, open a session of both. */
async function expectSecondStep(beginAt: { url: string }, useAt: { url: string }): Promise<void> {
  const person = await makeAccount(scene.stack, { kind: 'partner', id: scene.partner.id });
  const at = { url: beginAt.url };
  const first = portalClient(at);
  expect((await first.signIn(person)).status).toBe(303);
  const { html } = await first.get(SECOND_STEP);
  const secret = /data-copy value="([A-Z2-7 ]+)"/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
  const action = `${SECOND_STEP}/one-time-password`;
  const made = await first.post(action, {
    ...hiddenFields(html, action),
    'new-code': codeOf(secret),
  });
  // Not what only looks like one, such as a part of a token.
  const code = /<li><code>([^<]+)<\/code>/.exec(made.html)?.[1] ?? '';
  expect(code).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
  const browser = portalClient(at);
  expect((await browser.signIn(person)).location).toContain('/portal/sign-in/second-factor');
  at.url = useAt.url;
  const entered = await browser.submit(
    '/portal/sign-in/second-factor',
    '/portal/sign-in/second-factor',
    { code },
  );
  expect(entered.status).toBe(303);
  expect((await browser.get('/portal')).status).toBe(200);
  at.url = beginAt.url;
  expect((await browser.get('/portal')).status).toBe(200);
}

async function expectAllBetween(one: { url: string }, other: { url: string }): Promise<Life> {
  let life = await generate(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    life = await generate(from);
    await expectReplay(to, life);
    await expectRedemption(life, from, to);
    await expectSession(from, to);
    await expectSecondStep(from, to);
    await expectDevice(from, to);
    await expectInvitation(to);
  }
  return life;
}

const lives: Life[] = [];

test('a process that knows the new key works beside one from before', async () => {
  const before = await startWith(undefined);
  lives.push(await generate(before), await expectAllBetween(before, scene.stack));
});

test('a process that makes digests with the new key works beside one that only knows it', async () => {
  const first = await startWith([newKey, oldKey]);
  const { stack } = scene;
  // A process has one worker of a task queue.
  await stack.worker.stop();
  const secrets = { ...stack.config.secrets, digestKeys: [newKey, oldKey] };
  const config = { ...stack.config, secrets };
  const logger = createLogger('silent', 'test');
  running.push(await startWorker(config, stack.temporal, { logger }));
  for (const life of lives) await expectReplay(first, life);
  lives.push(await expectAllBetween(stack, first));
  // A voucher from before is claimed and redeemed with the new key, and with both.
  await expectRedemption(await generate(stack), first, first);
  await expectRedemption(await generate(first), stack, first);
});

test('an operator renews the vouchers; then the old key is dropped', async () => {
  const { stack } = scene;
  const last = await startWith([newKey, oldKey]);
  const unused = await generate(stack);
  const operator = commandsOn({
    DATABASE_URL: stack.urlFor('operator'),
    DIGEST_KEY: oldKey.key.toString('base64'),
    DIGEST_KEYS: textOf(newKey, oldKey),
    DATA_KEYS: dataKeys,
  });
  const underOld = async (kind: string) => {
    const counts: { kind: string; keyId: string }[] = await operator.json(
      'privacy list-digest-keys',
    );
    return counts.some((count) => count.kind === kind && count.keyId === '');
  };
  const rotate = () => operator.admin('privacy rotate-digests');
  expect((await withoutEntry(stack.database, rotate)).code).toBe(1);
  expect(await underOld('vouchers')).toBe(true);
  expect(await operator.json('privacy rotate-digests')).toMatchObject({ changed: true, key: 'k2' });
  expect(await operator.json('privacy rotate-digests')).toMatchObject({ changed: false });
  expect(await underOld('vouchers')).toBe(false);

  const dropped = await startWith([newKey]);
  for (const life of [...lives, unused]) await expectReplay(dropped, life);
  const merchant = await merchantClient(dropped, scene.merchant);
  const detail = done(await merchant.get(`/topup-transactions/${unused.voucherCode}`));
  expect(detail.status).toBe(200);
  await expectSession(last, dropped);
  await expectDevice(last, dropped);
  await expectInvitation(dropped);
});
