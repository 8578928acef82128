import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePublicKey } from '../../../src/http/signature/public-key.ts';
import { merchantClient } from '../../support/clients.ts';
import { CLAIM, type GiftScene, setGiftScene } from '../gift/gift-scene.ts';
import {
  type ForeignSigner,
  foreignPrograms,
  type Signature,
} from './foreign-signers/foreign-signers.ts';
import { makeMerchantWithKey, now, sendSigned } from './signing-scene.ts';

/** Signatures by the programs that merchants use, in every form that is accepted. */
let scene: GiftScene;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signing-'));
  scene = await setGiftScene();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await scene?.stop();
});

const unpadded = (text: string) => text.replace(/=+$/, '');

type Form = readonly [name: string, header: (signature: Signature, message: string) => string];

const forms: readonly Form[] = [
  ['DER in base64, \\n', ({ der }, message) => `${der.toString('base64')}\\n${message}`],
  ['DER in base64url, %0A', ({ der }, message) => `${der.toString('base64url')}%0A${message}`],
  ['DER in hex, \\r\\n', ({ der }, message) => `${der.toString('hex')}\\r\\n${message}`],
  [
    'DER, percent-encoded with the message',
    ({ der }, message) => encodeURIComponent(`${der.toString('base64')}\n${message}`),
  ],
  [
    'DER and message in base64',
    ({ der }, message) => btoa(`${der.toString('base64')}\n${message}`),
  ],
  ['r and s in base64', ({ compact }, message) => `${compact.toString('base64')}\\n${message}`],
  [
    'r and s in base64 without padding',
    ({ compact }, message) => `${unpadded(compact.toString('base64'))}\\n${message}`,
  ],
  [
    'r and s in base64url',
    ({ compact }, message) => `${compact.toString('base64url')}\\n${message}`,
  ],
  [
    'r and s in upper-case hex',
    ({ compact }, message) => `${compact.toString('hex').toUpperCase()}\\n${message}`,
  ],
  [
    'r and s and message in base64url, CR LF',
    ({ compact }, message) =>
      Buffer.from(`${compact.toString('hex')}\r\n${message}`).toString('base64url'),
  ],
];

/** Claims are signed over the body and the message, and over the body alone, by turns. */
const coverages: readonly ((body: string, message: string) => string)[] = [
  (body, message) => `${body}\n${message}`,
  (body) => body,
];

/** Claims a gift in every form, each time anew; the refused forms. */
async function refusedForms(signer: ForeignSigner, publicKey: string): Promise<unknown[]> {
  const merchant = await makeMerchantWithKey(scene.stack, publicKey);
  const client = await merchantClient(scene.stack, merchant);
  const { voucherCode } = await scene.gift({ merchant });
  const metadata = '{"name":"Ḃuna ቡና"}';
  const claims = forms.map(([name, headerOf], index) => {
    const body = JSON.stringify({ voucherCode, metadata, idempotencyKey: randomUUID() });
    const message = now();
    const text = coverages[index % coverages.length]?.(body, message) ?? '';
    return { name, headerOf, body, message, text: Buffer.from(text) };
  });
  const signatures = await signer.sign(claims.map(({ text }) => text));
  const refused: unknown[] = [];
  for (const [index, { name, headerOf, body, message }] of claims.entries()) {
    const signature = signatures[index];
    if (!signature) throw new Error('A signature is missing');
    const answer = await sendSigned(client, CLAIM, body, headerOf(signature, message));
    if (answer.status !== 200) refused.push([name, answer.body.message]);
  }
  return refused;
}

for (const { name, start } of foreignPrograms)
  test(`those of ${name} are accepted in every form`, { timeout: 300_000 }, async ({ skip }) => {
    const signer = await start(mkdtempSync(join(folder, 'keys-')));
    if (!signer) return skip(`${name} is not on this machine and could not be installed`);
    const [first = '', ...others] = signer.publicKeys;
    for (const other of others)
      expect(parsePublicKey(other).equals(parsePublicKey(first))).toBe(true);
    expect(await refusedForms(signer, first)).toEqual([]);
  });
