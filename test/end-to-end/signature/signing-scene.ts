import { randomUUID } from 'node:crypto';
import { addPublicKey } from '../../../src/db/catalogue/companies.ts';
import type { Reason } from '../../../src/domain/refusals.ts';
import { parsePublicKey } from '../../../src/http/signature/public-key.ts';
import { type Answer, call, type RawMerchant } from '../../support/clients.ts';
import { makeMerchant, type TestMerchant } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import type { GiftScene } from '../gift/gift-scene.ts';

/** The time as merchants write it into the message of a signature. */
export const now = (offsetSeconds = 0) =>
  new Date(Date.now() + offsetSeconds * 1_000).toISOString();

/** The body of a claim of a gift, of a new one where none is given. */
export async function claimBody(scene: GiftScene, voucherCode?: string): Promise<string> {
  return JSON.stringify({
    voucherCode: voucherCode ?? (await scene.gift()).voucherCode,
    idempotencyKey: randomUUID(),
  });
}

/** Sends a body under a signature, or without one. */
export const sendSigned = (
  client: Pick<RawMerchant, 'base' | 'token'>,
  path: string,
  body: string | Uint8Array,
  signature: string | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  call(client.base + path, {
    body,
    headers: {
      'x-api-token': client.token,
      ...(signature === undefined ? {} : { 'x-signature': signature }),
      ...headers,
    },
  });

export const expectRefused = (answer: Answer, statusCode: number, reason: Reason) =>
  expectRefusal(answer, 'merchant', statusCode, { reason });

/** A merchant whose only public key is one that is not from this process. */
export async function makeMerchantWithKey(stack: Stack, publicKey: string): Promise<TestMerchant> {
  const merchant = await makeMerchant(stack);
  const { database } = stack;
  await database
    .deleteFrom('merchant_public_keys')
    .where('merchant_id', '=', merchant.id)
    .execute();
  const pem = parsePublicKey(publicKey).export({ type: 'spki', format: 'pem' }).toString();
  await addPublicKey(database, merchant.id, pem);
  return merchant;
}
