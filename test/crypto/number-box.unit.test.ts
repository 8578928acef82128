import { expect, test } from 'vitest';
import { createNumberBox } from '../../src/crypto/phone-numbers.ts';
import { isSameNumber, maskStored, type StoredNumber } from '../../src/domain/phone.ts';

const NUMBER = '+251911000678';
const keyOf = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) });
const boxOf = (ids: readonly string[]) =>
  createNumberBox({
    digestKey: Buffer.alloc(32, 1),
    dataKeys: ids.map((id) => keyOf(id, id.charCodeAt(1))),
  });
/** What stands in a column. */
const inColumn = (text: string) => text as unknown as StoredNumber;

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
  expect(box.hashOfStored(stored)).toBe(box.hashOf(NUMBER));
  expect(box.openIfAny(box.storeIfAny(NUMBER))).toBe(NUMBER);
  expect(box.openIfAny(box.storeIfAny(null))).toBeNull();
});

test('renews what is under an older key, and nothing else', () => {
  const old = boxOf(['k1']).store(NUMBER);
  const rotated = boxOf(['k2', 'k1']);
  const renewed = rotated.resealed(old);
  expect(renewed && boxOf(['k2']).open(renewed)).toBe(NUMBER);
  expect(renewed && rotated.resealed(renewed)).toBeUndefined();
  expect(rotated.resealed(inColumn('erased'))).toBeUndefined();
  expect(maskStored(inColumn('erased'))).toBe('erased');
  expect(rotated.open(inColumn('erased'))).toBe('erased');
  expect(rotated.hashOfStored(inColumn('erased'))).toBeUndefined();
});

test('refuses parts of two numbers put together, and an unknown key', () => {
  const box = boxOf(['k1']);
  const [hash] = String(box.store('+251911000679')).split('.');
  const [, mask, keyId, body] = String(box.store(NUMBER)).split('.');
  expect(() => box.open(inColumn([hash, mask, keyId, body].join('.')))).toThrow();
  expect(() => boxOf(['k2']).open(box.store(NUMBER))).toThrow('not configured');
});
