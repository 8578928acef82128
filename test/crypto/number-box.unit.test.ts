import { expect, test } from 'vitest';
import { createNumberBox } from '../../src/crypto/number-box.ts';
import { isSameNumber, maskStored, type NumberStorage } from '../../src/domain/phone.ts';
import { inClear } from '../end-to-end/privacy/stored-numbers.ts';

const NUMBER = '+251911000678';
const keyOf = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) });
const boxOf = (ids: readonly string[], storage: NumberStorage = 'sealed') =>
  createNumberBox(
    { digestKey: Buffer.alloc(32, 1), dataKeys: ids.map((id) => keyOf(id, id.charCodeAt(1))) },
    () => storage,
  );

test('a sealed number shows only its mask, opens, and is found by its hash', () => {
  const box = boxOf(['k1']);
  const stored = box.store(NUMBER);
  expect(String(stored)).not.toContain('911000678');
  expect(maskStored(stored)).toBe('+2519*****678');
  expect(box.open(stored)).toBe(NUMBER);
  expect(String(stored).startsWith(`${box.hashOf(NUMBER)}.`)).toBe(true);
  const other = box.store(NUMBER);
  expect(String(other)).not.toBe(String(stored));
  expect(isSameNumber(stored, other)).toBe(true);
  expect(isSameNumber(stored, box.store('+251911000679'))).toBe(false);
});

test('while numbers are in clear it stores them so, and reads both', () => {
  const clear = boxOf(['k1'], 'clear');
  expect(clear.store(NUMBER)).toBe(NUMBER);
  expect(clear.open(boxOf(['k1']).store(NUMBER))).toBe(NUMBER);
  expect(maskStored(clear.store(NUMBER))).toBe('+2519*****678');
  expect(clear.storeIfAny(null)).toBeNull();
  expect(clear.openIfAny(null)).toBeNull();
});

test('renews what is in clear or under an older key, and nothing else', () => {
  const old = boxOf(['k1']).store(NUMBER);
  const rotated = boxOf(['k2', 'k1']);
  const renewed = rotated.resealed(old);
  expect(renewed && boxOf(['k2']).open(renewed)).toBe(NUMBER);
  expect(renewed && rotated.resealed(renewed)).toBeUndefined();
  expect(rotated.resealed(inClear(NUMBER))).toBeDefined();
  expect(rotated.resealed(inClear('erased'))).toBeUndefined();
  expect(maskStored(inClear('erased'))).toBe('erased');
  expect(rotated.open(inClear('erased'))).toBe('erased');
});

test('refuses parts of two numbers put together, and an unknown key', () => {
  const box = boxOf(['k1']);
  const [hash] = String(box.store('+251911000679')).split('.');
  const [, mask, keyId, body] = String(box.store(NUMBER)).split('.');
  expect(() => box.open(inClear([hash, mask, keyId, body].join('.')))).toThrow();
  expect(() => boxOf(['k2']).open(box.store(NUMBER))).toThrow('not configured');
});
