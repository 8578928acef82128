import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { expect, it } from 'vitest';
import { securityCredential } from '../../../../src/providers/mobile-money/mpesa/client.ts';

it('a password is encrypted for the key of the certificate, a ready one is used as it is', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const certificate = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
  const made = securityCredential({ password: 'Safaricom999!', certificate });
  // Node.js refuses this padding to decryption without a flag, so the raw block is read.
  const block = privateDecrypt(
    { key: privateKey, padding: constants.RSA_NO_PADDING },
    Buffer.from(made, 'base64'),
  );
  expect(block.subarray(0, 2)).toEqual(Buffer.from([0, 2]));
  expect(block.subarray(block.indexOf(0, 2) + 1).toString()).toBe('Safaricom999!');
  expect(securityCredential({ ready: 'given' })).toBe('given');
});
