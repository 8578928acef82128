import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDigests } from '../../src/crypto/digests.ts';
import { createNumberHash } from '../../src/crypto/phone-numbers.ts';

const digestKey = Buffer.alloc(32, 7);
const numberHash = createNumberHash(digestKey);

test('a number has one hash of 128 bits, whatever the ring of other keys', () => {
  const ring = [{ id: 'k2', key: randomBytes(32) }];
  expect(numberHash('+251911000001')).toMatch(/^[\w-]{22}$/);
  expect(createDigests({ digestKey, digestKeys: ring }).numberHash('+251911000001')).toBe(
    numberHash('+251911000001'),
  );
});

test('the hash is kept in rows and histories: it stays as it was', () => {
  expect(numberHash('+251911000001')).toBe('DMk6Ec-YC2Y8HIrshutGKw');
});

test('other numbers, other keys and the key itself give other hashes', () => {
  const plain = createHmac('sha256', digestKey).update('+251911000001').digest();
  const hashes = [
    numberHash('+251911000001'),
    numberHash('+251911000002'),
    createNumberHash(randomBytes(32))('+251911000001'),
    plain.subarray(0, 16).toString('base64url'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});
