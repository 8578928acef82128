import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookError } from '../../clients/typescript/src/index.ts';
import { randomWebhookSecret, webhookHeaders } from '../../src/crypto/webhook-secrets.ts';

const secret = randomWebhookSecret();
const now = new Date('2026-11-22T08:00:00Z');
const event = { id: 'evt_1', type: 'voucher.expired', subject: 'voucher:1', data: { ብር: '1' } };
const body = JSON.stringify(event);
const message = { id: 'evt_1', timestampSeconds: now.getTime() / 1_000, body };
const headers = webhookHeaders(message, [secret]);

const verify = (given: Record<string, string>, text: string | Uint8Array = body, key = secret) =>
  verifyWebhook(given, text, key, now);

describe('verifyWebhook', () => {
  it('gives the event of a message, as text and as bytes', () => {
    expect(verify(headers)).toEqual(event);
    expect(verify(headers, Buffer.from(body))).toEqual(event);
    expect(verifyWebhook(new Headers(headers), body, secret, now)).toEqual(event);
  });

  it('accepts either secret of a rotation', () => {
    const next = randomWebhookSecret();
    const both = webhookHeaders(message, [next, secret]);
    expect(verify(both)).toEqual(event);
    expect(verify(both, body, next)).toEqual(event);
  });

  const minutesLater = (minutes: number) =>
    webhookHeaders({ ...message, timestampSeconds: message.timestampSeconds + minutes * 60 }, [
      secret,
    ]);

  const signedAs = (text: string) => webhookHeaders({ ...message, body: text }, [secret]);

  it.each([
    ['another body', headers, `${body} `],
    ['another id', { ...headers, 'webhook-id': 'evt_2' }, body],
    [
      'another time',
      { ...headers, 'webhook-timestamp': String(message.timestampSeconds + 1) },
      body,
    ],
    ['no time', { ...headers, 'webhook-timestamp': 'now' }, body],
    ['an old time', minutesLater(-6), body],
    ['a time to come', minutesLater(6), body],
    ['no signature', { ...headers, 'webhook-signature': '' }, body],
    ['half a signature', { ...headers, 'webhook-signature': 'v1,AAAA' }, body],
    [
      'another version',
      { ...headers, 'webhook-signature': String(headers['webhook-signature']).replace('v1', 'v2') },
      body,
    ],
    ['no JSON', signedAs('no JSON'), 'no JSON'],
    ['no object', signedAs('null'), 'null'],
    ['an object without an id', signedAs('{}'), '{}'],
  ])('refuses %s', (_what, given, text) => {
    expect(() => verify(given, text)).toThrow(WebhookError);
  });

  it.each(['', 'whsec_'])('takes no empty secret (%j), with which anybody can sign', (empty) => {
    expect(() => verify(webhookHeaders(message, [empty]), body, empty)).toThrow(TypeError);
  });

  it('refuses a message without a header, and one of another secret', () => {
    const { 'webhook-id': _, ...rest } = headers;
    expect(() => verify(rest)).toThrow('webhook-id is missing');
    expect(() => verify(headers, body, randomWebhookSecret())).toThrow(WebhookError);
  });
});
