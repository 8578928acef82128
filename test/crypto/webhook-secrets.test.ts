import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../src/crypto/secret-box.ts';
import {
  openWebhookSecret,
  randomWebhookSecret,
  sealWebhookSecret,
  webhookHeaders,
} from '../../src/crypto/webhook-secrets.ts';

/** Signed by the library of Standard Webhooks (standardwebhooks 1.1.1). */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

describe('webhookHeaders', () => {
  it('signs as the library of Standard Webhooks does', () => {
    expect(webhookHeaders(vector.message, [vector.secret])).toEqual({
      'webhook-id': vector.message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': vector.signature,
    });
  });

  it('signs by every secret of a rotation', () => {
    const other = randomWebhookSecret();
    const { 'webhook-signature': signatures } = webhookHeaders(vector.message, [
      other,
      vector.secret,
    ]);
    const [first, second] = (signatures ?? '').split(' ');
    expect(second).toBe(vector.signature);
    expect(first).toMatch(/^v1,[\w+/]{43}=$/);
    expect(first).not.toBe(second);
  });
});

describe('a secret', () => {
  it('is new each time, and has 32 bytes', () => {
    const secrets = [randomWebhookSecret(), randomWebhookSecret()];
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });

  it('is readable only as that of its endpoint', () => {
    const box = createSecretBox([{ id: 'k1', key: randomBytes(32) }]);
    const secret = randomWebhookSecret();
    const ciphertext = sealWebhookSecret(box, 7, secret);
    expect(ciphertext).not.toContain(secret.slice(6));
    expect(openWebhookSecret(box, 7, ciphertext)).toBe(secret);
    expect(() => openWebhookSecret(box, 8, ciphertext)).toThrow();
  });
});
