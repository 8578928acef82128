import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureHeader } from '../../../clients/typescript/src/index.ts';
import { addPublicKey } from '../../../src/db/catalogue/companies.ts';
import { REVOKED_KEY } from '../../../src/http/signature/diagnose-signature.ts';
import { call, merchantClient } from '../../support/clients.ts';
import { makeMerchant } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { CLAIM, done, type GiftScene, REDEEM, setGiftScene } from '../gift/gift-scene.ts';
import { claimBody, expectRefused, now, sendSigned } from './signing-scene.ts';

/** The signatures of merchants' requests (specification 5). */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene();
});
afterAll(() => scene?.stop());

const bodyOf = () => claimBody(scene);

const signed = (body: string, message?: string) =>
  signatureHeader(scene.merchant.privateKey, body, message);

const bodyOnly = (body: string, message: string, key = scene.merchant.privateKey) =>
  `${sign('sha256', Buffer.from(body), key).toString('base64')}\\n${message}`;

const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;

const send = (
  path: string,
  body: string,
  signature: string | undefined,
  client = scene.asMerchant,
) => sendSigned(client, path, body, signature);

const refusals: readonly (readonly [string, (body: string) => string | undefined])[] = [
  ['missing', () => undefined],
  ['of another body', (body) => signed(body.replace('}', ',"amount":1}'))],
  [
    'of the body as it would be written otherwise',
    (body) => signed(JSON.stringify(JSON.parse(body), null, 1)),
  ],
  ['of the body with a line break at its end', (body) => signed(`${body}\n`)],
  ['by another key', (body) => signatureHeader(otherKey(), body)],
  ['of the body alone by another key', (body) => bodyOnly(body, now(), otherKey())],
  [
    'under another message than was signed',
    (body) => signed(body, now(-1)).replace(/\\n.*/, `\\n${now()}`),
  ],
  ['with a time that is long past', (body) => signed(body, now(-301))],
  ['with a time that is far ahead', (body) => signed(body, now(302))],
  [
    'with Unix seconds long past',
    (body) => signed(body, String(Math.floor(Date.now() / 1_000) - 301)),
  ],
  ['with Unix milliseconds long past', (body) => signed(body, String(Date.now() - 301_000))],
  ['without a message', (body) => signed(body).replace(/\\n.*/, '')],
  ['with an empty message', (body) => signed(body, '')],
  ['with a blank message', (body) => signed(body, '   ')],
  ['with a message that is too long', (body) => signed(body, 'm'.repeat(201))],
  ['not a signature', () => `signature\\n${now()}`],
  ['in no known encoding', () => `!!!!!!!!!!!!\\n${now()}`],
  ['of zeros', () => `${Buffer.from('3006020100020100', 'hex').toString('base64')}\\n${now()}`],
  ['very long', () => `${'A'.repeat(4_000)}\\n${now()}`],
];
describe('one request', () => {
  let body: string;
  let before: Awaited<ReturnType<GiftScene['holdings']>>;
  beforeAll(async () => {
    body = await bodyOf();
    before = await scene.holdings();
  });

  test.each(refusals)('under a signature that is %s is refused', async (_what, signatureOf) => {
    for (const path of [CLAIM, REDEEM]) {
      const answer = await send(path, body, signatureOf(body));
      expectRefused(answer, 401, 'signature-invalid');
      expect(answer.body.message).toMatch(/x-signature|signature/);
    }
  });

  test('has moved nothing after all of these, and is accepted under a right signature', async () => {
    expect(await scene.holdings()).toEqual(before);
    done(await send(CLAIM, body, signed(body)));
  });
});

test.each<[string, (body: string) => string]>([
  ['over the body, a line feed and a time', (body) => signed(body)],
  ['over the body, a line feed and a request id', (body) => signed(body, randomUUID())],
  ['over the body alone, beside a time', (body) => bodyOnly(body, now())],
  ['over the body alone, beside a request id', (body) => bodyOnly(body, randomUUID())],
  ['with Unix seconds', (body) => signed(body, String(Math.floor(Date.now() / 1_000)))],
  ['with Unix milliseconds', (body) => signed(body, String(Date.now()))],
  ['with a time five minutes ago, less a moment', (body) => signed(body, now(-290))],
])('%s is accepted', async (_what, signatureOf) => {
  const body = await bodyOf();
  done(await send(CLAIM, body, signatureOf(body)));
});

test('is needed for no other endpoint', async () => {
  const { voucherCode } = await scene.gift();
  done(await scene.asMerchant.get(`/topup-transactions/${voucherCode}`));
  const headers = { 'x-api-token': scene.asMerchant.token };
  expect((await call(`${scene.asMerchant.base}/test`, { method: 'POST', headers })).status).toBe(
    200,
  );
});

test('with a request id is refused for another body, and a repetition for the same', async () => {
  const message = `order-${randomUUID()}`;
  const [body, other] = [await bodyOf(), await bodyOf()];
  const first = done(await send(CLAIM, body, signed(body, message)));
  const before = await scene.holdings();
  const reused = await send(CLAIM, other, signed(other, message));
  expectRefused(reused, 422, 'signed-request-reused');
  expect(await scene.holdings()).toEqual(before);
  const repeated = done(await send(CLAIM, body, signed(body, message)));
  expect(repeated.body).toEqual(first.body);
  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
  done(await send(CLAIM, other, signed(other, randomUUID())));
});

test('of an invalid request binds nothing: it is corrected under the same request id', async () => {
  const message = `order-${randomUUID()}`;
  const body = await bodyOf();
  const invalid = body.replace('}', ',"amount":-1}');
  const refused = await send(CLAIM, invalid, signed(invalid, message));
  expectRefused(refused, 400, 'request-invalid');
  done(await send(CLAIM, body, signed(body, message)));
});

test('with a time may be sent with any number of bodies', async () => {
  const message = now();
  for (const body of [await bodyOf(), await bodyOf()])
    done(await send(CLAIM, body, signed(body, message)));
});

test('captured and sent again does nothing more', async () => {
  const gift = await scene.gift();
  const body = JSON.stringify({ voucherCode: gift.voucherCode, idempotencyKey: randomUUID() });
  const signature = signed(body);
  done(await send(CLAIM, body, signature));
  done(await send(CLAIM, body, signature));
  expect(scene.stack.sandbox.books.messages(gift.owner ?? '')).toHaveLength(1);
});

test('of another merchant is none, even with this merchant’s token', async () => {
  const other = await makeMerchant(scene.stack);
  const body = await bodyOf();
  const answer = await send(CLAIM, body, signatureHeader(other.privateKey, body));
  expectRefused(answer, 401, 'signature-invalid');
});

test('is checked by every registered key, until a key is revoked', async () => {
  const added = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const merchant = await makeMerchant(scene.stack);
  const client = await merchantClient(scene.stack, merchant);
  const pem = added.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  await addPublicKey(scene.stack.database, merchant.id, pem);
  const claimBy = async (key: KeyObject) => {
    const { voucherCode } = await scene.gift({ merchant });
    const body = JSON.stringify({ voucherCode, idempotencyKey: randomUUID() });
    return send(CLAIM, body, signatureHeader(key, body), client);
  };
  await until(async () => done(await claimBy(added.privateKey)));
  done(await claimBy(merchant.privateKey));
  const revoke = (condition: 'one' | 'all') =>
    scene.stack.database
      .updateTable('merchant_public_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where('merchant_id', '=', merchant.id)
      .where('revoked_at', 'is', null)
      .$if(condition === 'one', (query) => query.where('public_key_pem', '<>', pem))
      .execute();
  await revoke('one');
  await until(async () => expect((await claimBy(merchant.privateKey)).status).toBe(401));
  expect((await claimBy(merchant.privateKey)).body.message).toContain(REVOKED_KEY);
  done(await claimBy(added.privateKey));
  await revoke('all');
  await until(async () => expect((await claimBy(added.privateKey)).status).toBe(401));
  expect((await claimBy(added.privateKey)).body.message).toContain('No public key');
});
