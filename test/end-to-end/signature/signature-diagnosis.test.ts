import { randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../../src/config/config.ts';
import { messageOf } from '../../../src/domain/refusals.ts';
import { signatureMistakes } from '../../../src/http/signature/diagnose-signature.ts';
import { type Answer, merchantClient } from '../../support/clients.ts';
import { makeMerchant } from '../../support/companies.ts';
import { CLAIM, type GiftScene, setGiftScene } from '../gift/gift-scene.ts';
import { expectRefused, now, sendSigned } from './signing-scene.ts';

/** What the service tells a merchant about a wrong signature, and whom it tells nothing. */
let scene: GiftScene;
const begin = async (settings?: Environment) => {
  scene = await setGiftScene(settings);
};
const end = () => scene?.stop();

const NEITHER = 'x-signature matches neither the body as sent';

function signedBy(
  { privateKey }: GiftScene['merchant'],
  bytesOf: (body: string, message: string) => string | Uint8Array,
) {
  const body = `{ "voucherCode": "x", "idempotencyKey": "${randomUUID()}"}`;
  const message = now();
  const signature = sign('sha256', Buffer.from(bytesOf(body, message)), privateKey);
  return { body, header: `${signature.toString('base64')}\\n${message}` };
}

const send = (
  { body, header }: ReturnType<typeof signedBy>,
  client: { readonly base: string; readonly token: string } = scene.asMerchant,
) => sendSigned(client, CLAIM, body, header);

const unseparated = (body: string, message: string) => body + message;

const expectCause = (answer: Answer, cause: string | RegExp) => {
  expectRefused(answer, 401, 'signature-invalid');
  const [sentence, detail] = String(answer.body.message).split(/: (.*)/s);
  expect(sentence).toBe(messageOf('signature-invalid'));
  expect(detail).toMatch(cause);
};

describe('a wrong signature', () => {
  beforeAll(() => begin());
  afterAll(end);

  test('each mistake is named to its merchant, and none is let in', async () => {
    const before = await scene.holdings();
    const { merchant } = scene;
    for (const { explanation, signedBytes, hash } of signatureMistakes) {
      if (hash !== undefined) continue;
      const mistaken = signedBy(merchant, (body, message) => {
        const received = { body: Buffer.from(body), message: Buffer.from(message) };
        const right = [body, `${body}\n${message}`];
        const wrong = signedBytes(received).find((bytes) => !right.includes(bytes.toString()));
        if (wrong === undefined) throw new Error(`No wrong bytes for: ${explanation}`);
        return wrong;
      });
      const { message } = (await send(mistaken)).body;
      expect.soft(message, explanation).toBe(`${messageOf('signature-invalid')}: ${explanation}`);
    }
    expect(await scene.holdings()).toEqual(before);
  });

  test('the cause is told to nobody else', async () => {
    const other = await merchantClient(scene.stack, await makeMerchant(scene.stack));
    const mistaken = signedBy(scene.merchant, unseparated);
    expectCause(await send(mistaken), /without a line feed/);
    expectCause(await send(mistaken, other), NEITHER);
    const unknown = await send(mistaken, { base: scene.asMerchant.base, token: 'none' });
    expect(unknown.body.message).toBe(messageOf('token-invalid'));
  });
});

test('causes are searched for as often as the limit allows, of each merchant', async ({
  onTestFinished,
}) => {
  onTestFinished(end);
  await begin({ SIGNATURE_DIAGNOSES_PER_MERCHANT_AND_MINUTE: '2', RATE_LIMIT_STORE: 'postgres' });
  const mistaken = signedBy(scene.merchant, unseparated);
  for (const cause of [/without a line feed/, /without a line feed/, NEITHER, NEITHER])
    expectCause(await send(mistaken), cause);
  const merchant = await makeMerchant(scene.stack);
  const client = await merchantClient(scene.stack, merchant);
  expectCause(await send(signedBy(merchant, unseparated), client), /without a line feed/);
});
