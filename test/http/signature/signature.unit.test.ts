import type { KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePublicKey } from '../../../src/http/signature/public-key.ts';
import { verifySignature } from '../../../src/http/signature/verify-signature.ts';
import { openSslKeys } from '../../support/openssl.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'signature-'));
afterAll(() => rmSync(folder, { recursive: true }));

const merchant = openSslKeys(folder, 'merchant');
const other = openSslKeys(folder, 'other');
const key = parsePublicKey(merchant.publicPem());
const otherKey = parsePublicKey(other.publicPem());

const body = Buffer.from('{"voucherCode":"0000-0000-0000-0000","idempotencyKey":"k-1"}');
const time = '2026-01-01T11:59:00Z';
const signBody = (keys = merchant) => keys.sign(body).toString('base64');
const signBoth = (message: string, keys = merchant) =>
  keys.sign(Buffer.concat([body, Buffer.from(`\n${message}`, 'latin1')])).toString('base64');

function check(
  header: string | undefined,
  change: { body?: Buffer; publicKeys?: KeyObject[] } = {},
) {
  const request = { body, publicKeys: [key], now: NOW, ...change };
  return verifySignature({ ...request, header });
}

/** As Node.js hands the bytes of a header on. */
const utf8 = Buffer.from('ሰላም').toString('latin1');

/** The same signature with s on the other side of the group's order. */
function twin(signature: string): string {
  const { r, s } = secp256k1.Signature.fromBytes(Buffer.from(signature, 'base64'), 'der');
  const flipped = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s);
  return Buffer.from(flipped.toBytes('der')).toString('base64');
}

const compact = (signature: string): string =>
  secp256k1.Signature.fromBytes(Buffer.from(signature, 'base64'), 'der').toHex('compact');

describe('verifySignature', () => {
  it.each([
    ['body and time', `${signBoth(time)}\\n${time}`, time, 'time'],
    ['body and id', `${signBoth('order-7')}\\norder-7`, 'order-7', 'id'],
    ['body alone with a time', `${signBody()}\\n${time}`, time, 'time'],
    ['body alone with an id', `${signBody()}\\norder-7`, 'order-7', 'id'],
    ['a message with the separator', `${signBoth('a\\nb')}\\na\\nb`, 'a\\nb', 'id'],
    ['a message of Latin-1', `${signBoth('é')}\\né`, 'é', 'id'],
    ['a message of UTF-8', `${signBoth(utf8)}\\n${utf8}`, utf8, 'id'],
    ['%0A', `${signBoth(time)}%0A${time}`, time, 'time'],
    ['everything percent-encoded', encodeURIComponent(`${signBoth(time)}\n${time}`), time, 'time'],
    ['base64', btoa(`${signBoth(time)}\n${time}`), time, 'time'],
    ['r and s in hex', `${compact(signBoth(time))}\\n${time}`, time, 'time'],
    ['the other half of s', `${twin(signBoth(time))}\\n${time}`, time, 'time'],
    ['no padding', `${signBody().replace(/=+$/, '')}\\nx`, 'x', 'id'],
  ])('accepts %s', (_, header, message, messageKind) => {
    expect(check(header)).toEqual({ ok: true, message, messageKind });
  });

  it('accepts low and high s alike', () => {
    for (let round = 0; round < 8; round += 1) {
      const signature = signBody();
      expect(check(`${signature}\\nx`).ok && check(`${twin(signature)}\\nx`).ok).toBe(true);
    }
  });

  it('accepts any registered key, as while keys are exchanged', () => {
    const header = `${signBoth(time)}\\n${time}`;
    expect(check(header, { publicKeys: [otherKey, key] }).ok).toBe(true);
    expect(check(header, { publicKeys: [otherKey] }).ok).toBe(false);
  });

  it('checks the bytes and not their text', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0x7d]);
    const header = `${merchant.sign(bytes).toString('base64')}\\nx`;
    expect(check(header, { body: bytes }).ok).toBe(true);
    expect(check(header, { body: Buffer.from(bytes.toString('utf8')) }).ok).toBe(false);
  });

  const signature = signBoth(time);
  const raw = Buffer.from(signature, 'base64');
  it.each([
    ['no header', undefined, /missing/],
    ['an empty header', '', /missing/],
    ['no message', signature, /backslash/],
    ['an empty message', `${signature}\\n`, /printable/],
    ['a message of spaces', `${signature}\\n  `, /printable/],
    ['a message with a line break', btoa(`${signature}\n${time}\n`), /printable/],
    ['a long message', `${signature}\\n${'x'.repeat(201)}`, /printable/],
    ['a huge header', 'x'.repeat(1_000_000), /too long/],
    ['no signature', `\\n${time}`, /DER/],
    ['a signature cut short', `${raw.subarray(0, -1).toString('base64')}\\n${time}`, /DER/],
    [
      'a byte too many',
      `${Buffer.concat([raw, raw.subarray(0, 1)]).toString('base64')}\\n${time}`,
      /DER/,
    ],
    ['base64 on two lines', `${signature.slice(0, 64)}\\n${signature.slice(64)}\\n${time}`, /DER/],
    [
      'r and s of zero',
      `${Buffer.from('3006020100020100', 'hex').toString('base64')}\\n${time}`,
      /DER/,
    ],
    ['another message', `${signature}\\n2026-01-01T11:58:00Z`, /neither/],
    ['an id in place of the time', `${signature}\\norder-7`, /neither/],
    ['another key', `${signBoth(time, other)}\\n${time}`, /neither/],
    ['an old time', `${signBoth('2026-01-01T11:54:59Z')}\\n2026-01-01T11:54:59Z`, /300 s/],
    ['a time ahead', `${signBody()}\\n2026-01-01T12:05:01Z`, /300 s/],
  ])('refuses %s', (_, header, reason) => {
    expect(check(header)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });

  it.each([
    ['one byte changed', Buffer.from(body.toString().replace('k-1', 'k-2'))],
    ['a space more', Buffer.concat([body, Buffer.from(' ')])],
    ['a byte less', body.subarray(0, -1)],
    ['nothing', Buffer.alloc(0)],
    ['the message moved into it', Buffer.concat([body, Buffer.from(`\n${time}x`)])],
  ])('refuses a body with %s', (_, changed) => {
    expect(check(`${signBoth(time)}\\n${time}`, { body: changed }).ok).toBe(false);
    expect(check(`${signBody()}\\n${time}`, { body: changed }).ok).toBe(false);
  });

  it('refuses everything while no key is registered', () => {
    const answer = check(`${signBoth(time)}\\n${time}`, { publicKeys: [] });
    expect(answer).toEqual({ ok: false, reason: expect.stringMatching(/registered/) });
  });
});
