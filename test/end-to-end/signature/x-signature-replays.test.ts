import { randomUUID, sign } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureHeader } from '../../../clients/typescript/src/index.ts';
import { merchantClient } from '../../support/clients.ts';
import { makeMerchant } from '../../support/companies.ts';
import {
  CLAIM,
  done,
  type Gift,
  type GiftScene,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';
import { claimBody, expectRefused, now, sendSigned } from './signing-scene.ts';

/** Signed requests that were changed, or sent again. */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene();
});
afterAll(() => scene?.stop());

const send = (body: string | Uint8Array, signature: string, headers?: Record<string, string>) =>
  sendSigned(scene.asMerchant, CLAIM, body, signature, headers);

const signed = (body: string | Uint8Array, message?: string) =>
  signatureHeader(scene.merchant.privateKey, body, message);

const derOf = (text: string | Uint8Array) =>
  sign('sha256', Buffer.from(text), scene.merchant.privateKey);

const bodyOnly = (body: string, message: string) =>
  `${derOf(body).toString('base64')}\\n${message}`;

const messagesTo = ({ owner }: Gift) => scene.stack.sandbox.books.messages(owner ?? '');

/** The fields of a body in another order, or otherwise the same for a reader of JSON. */
const rewritten = (body: string, space?: number) =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).reverse()), null, space);

const changes: readonly (readonly [string, (body: string) => string | Uint8Array])[] = [
  ['one character', (body) => body.replace(/"}$/, 'x"}')],
  ['a space', (body) => body.replace(':', ': ')],
  ['the order of its fields', (body) => rewritten(body)],
  ['its layout', (body) => rewritten(rewritten(body), 2)],
  ['an escaped letter', (body) => body.replace('voucherCode', 'voucher\\u0043ode')],
  ['a field more', (body) => body.replace('}', ',"amount":1}')],
  ['a field that is repeated', (body) => body.replace('}', `,"idempotencyKey":"${randomUUID()}"}`)],
  ['a space behind', (body) => `${body} `],
  ['a line break behind', (body) => `${body}\n`],
  ['a NUL behind', (body) => `${body}\0`],
  ['the same again behind', (body) => body + body],
  ['its last byte missing', (body) => body.slice(0, -1)],
  ['nothing left', () => ' '],
  ['a byte order mark in front', (body) => `\uFEFF${body}`],
  ['another charset', (body) => Buffer.from(body, 'utf16le')],
];
describe('a signed body', () => {
  let body: string;
  let before: Awaited<ReturnType<GiftScene['holdings']>>;
  beforeAll(async () => {
    body = await claimBody(scene);
    before = await scene.holdings();
  });

  test.each(changes)('changed by %s is refused', async (_what, change) => {
    for (const signature of [signed(body), bodyOnly(body, now())])
      expectRefused(await send(change(body), signature), 401, 'signature-invalid');
  });

  /** A right signature makes none of these a right request. */
  test.each<[string, (body: string) => string | Uint8Array, Record<string, string>, number]>([
    ['repeats a field', (body) => body.replace('}', ',"voucherCode":"X"}'), {}, 400],
    ['repeats a field, escaped', (body) => body.replace('}', ',"voucher\\u0043ode":"X"}'), {}, 400],
    ['has more behind it', (body) => `${body}{}`, {}, 400],
    ['is UTF-16', (body) => Buffer.from(body, 'utf16le'), {}, 400],
    [
      'is not UTF-8',
      (body) => Buffer.from(body.replace('}', ',"metadata":"é"}'), 'latin1'),
      {},
      400,
    ],
    [
      'says that it is UTF-16',
      (body) => body,
      { 'Content-Type': 'application/json; charset=utf-16' },
      415,
    ],
    [
      'says that it is Latin-1',
      (body) => body,
      { 'Content-Type': 'application/json; charset=iso-8859-1' },
      415,
    ],
    ['says that it is text', (body) => body, { 'Content-Type': 'text/plain' }, 415],
    ['says that it is compressed', (body) => body, { 'Content-Encoding': 'gzip' }, 415],
  ])('that %s is refused', async (_what, change, headers, statusCode) => {
    const sent = change(body);
    const reason = statusCode === 400 ? 'request-invalid' : 'media-type-unsupported';
    expectRefused(await send(sent, signed(sent), headers), statusCode, reason);
  });

  test('has moved nothing after all of these, and is accepted as it was signed', async () => {
    expect(await scene.holdings()).toEqual(before);
    done(await send(body, bodyOnly(body, now())));
    const other = await claimBody(scene);
    done(await send(other, signed(other)));
  });
});

test('the message does not become a part of the body', async () => {
  const body = await claimBody(scene);
  const [signature, time] = signed(body).split('\\n');
  const answer = await send(`${body}\n${time}`, `${signature}\\n${randomUUID()}`);
  expectRefused(answer, 400, 'request-invalid');
});

describe('a captured request', () => {
  /** A gift that was claimed, and what was sent for it. */
  async function captured(signatureOf = (body: string) => signed(body)) {
    const gift = await scene.gift();
    const body = await claimBody(scene, gift.voucherCode);
    const signature = signatureOf(body);
    const first = done(await send(body, signature));
    return { gift, body, signature, first };
  }

  const twin = (der: Buffer) => {
    const { r, s } = secp256k1.Signature.fromBytes(der, 'der');
    return Buffer.from(new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toBytes('der'));
  };

  test.each<[string, (der: Buffer, message: string) => string]>([
    ['with the twin of its signature', (der, time) => `${twin(der).toString('base64')}\\n${time}`],
    ['with its signature in hex', (der, time) => `${der.toString('hex')}\\n${time}`],
    ['with its header in base64', (der, time) => btoa(`${der.toString('base64')}\n${time}`)],
    ['with its header percent-encoded', (der, time) => `${der.toString('base64')}%0A${time}`],
  ])('is no new request %s', async (_what, headerOf) => {
    const { gift, body, signature, first } = await captured();
    const [base64 = '', message = ''] = signature.split('\\n');
    const again = done(await send(body, headerOf(Buffer.from(base64, 'base64'), message)));
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(messagesTo(gift)).toHaveLength(1);
  });

  test('is no new request with another message, which the signature does not cover', async () => {
    const { gift, body, signature, first } = await captured((text) => bodyOnly(text, now(-200)));
    for (const message of [now(), randomUUID()]) {
      const again = done(await send(body, signature.replace(/\\n.*/, `\\n${message}`)));
      expect(again.body).toEqual(first.body);
    }
    expect(messagesTo(gift)).toHaveLength(1);
  });

  test('is refused with another message, which the signature covers', async () => {
    const { body, signature } = await captured();
    for (const message of [now(-1), randomUUID()]) {
      const answer = await send(body, signature.replace(/\\n.*/, `\\n${message}`));
      expectRefused(answer, 401, 'signature-invalid');
    }
  });

  test('lends its signature to no other body', async () => {
    const { gift, signature } = await captured();
    const other = await claimBody(scene, gift.voucherCode);
    expectRefused(await send(other, signature), 401, 'signature-invalid');
    expect(messagesTo(gift)).toHaveLength(1);
  });

  test('is refused at another endpoint', async () => {
    const gift = await scene.gift();
    const claim = await claimBody(scene, gift.voucherCode);
    // Complete for either endpoint, so that nothing else can be the reason.
    const body = claim.replace('}', ',"verificationCode":"123456"}');
    const signature = signed(body);
    done(await send(body, signature));
    const before = await scene.holdings();
    const answer = await sendSigned(scene.asMerchant, REDEEM, body, signature);
    expectRefused(answer, 422, 'signed-request-reused');
    expect(await scene.holdings()).toEqual(before);
  });
});

describe('a message that is a request id', () => {
  test('is refused for another body, however it is written', async () => {
    const message = `order ${randomUUID()}`;
    const body = await claimBody(scene);
    done(await send(body, signed(body, message)));
    const other = await claimBody(scene);
    for (const header of [
      signed(other, message),
      encodeURIComponent(signed(other, message).replace('\\n', '\n')),
      btoa(signed(other, message).replace('\\n', '\n')),
      bodyOnly(other, message),
    ])
      expectRefused(await send(other, header), 422, 'signed-request-reused');
  });

  test('is refused for another body at another endpoint', async () => {
    const message = `order-${randomUUID()}`;
    const body = await claimBody(scene);
    done(await send(body, signed(body, message)));
    const other = (await claimBody(scene)).replace('}', ',"verificationCode":"123456"}');
    const answer = await sendSigned(scene.asMerchant, REDEEM, other, signed(other, message));
    expectRefused(answer, 422, 'signed-request-reused');
  });

  test('that two bodies have at the same moment serves one of them', async () => {
    const message = `order-${randomUUID()}`;
    const bodies = await Promise.all(Array.from({ length: 6 }, () => claimBody(scene)));
    const answers = await Promise.all(bodies.map((body) => send(body, signed(body, message))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
  });

  test('is each merchant’s own', async () => {
    const message = `order-${randomUUID()}`;
    const merchant = await makeMerchant(scene.stack);
    const client = await merchantClient(scene.stack, merchant);
    const { voucherCode } = await scene.gift({ merchant });
    const [body, theirs] = [await claimBody(scene), await claimBody(scene, voucherCode)];
    done(await send(body, signed(body, message)));
    const header = signatureHeader(merchant.privateKey, theirs, message);
    done(await sendSigned(client, CLAIM, theirs, header));
  });
});
