import { describe, expect, test } from 'vitest';
import { auditedTerm, readSearchTerm } from '../../../src/domain/staff/search-term.js';
import { voucherCodeFromRandom } from '../../../src/domain/vouchers/voucher-code.js';

const code = voucherCodeFromRandom(Buffer.from('fifteen bytes 1'));
const operationId = '0123456789abcdef0123456789abcdef';
const uuid = '0b7e2c1a-9d7f-8a10-8123-0123456789ab';

describe('a text that somebody looks for', () => {
  test.each([
    ['0911 000 001', { msisdn: '+251911000001' }],
    ['+251-911-000-001', { msisdn: '+251911000001' }],
    ['012345678901234567', { serialNumber: '012345678901234567' }],
    ['0123 4567 8901 2345 67', { serialNumber: '012345678901234567' }],
    [code.toLowerCase(), { voucherCode: code }],
    [uuid.toUpperCase(), { uuid }],
    [`claim:012345678901234567:${operationId}`, { serialNumber: '012345678901234567' }],
    [`top-up:17:${operationId}`, { topupId: 17 }],
    [`reverse:4:${operationId}`, { redemptionId: 4 }],
    [`generate-voucher:${operationId}`, { operationId }],
    [`redeem-voucher:unclaimed-${operationId}`, { operationId }],
    ['RDM-0123456789ABCDEF', { reference: 'RDM-0123456789ABCDEF' }],
    ['  17 ', { topupId: 17 }],
  ])('%s', (text, expected) => {
    expect(readSearchTerm(text)).toMatchObject(expected);
  });

  test.each(['', '   ', '%', "a'; drop", 'x'.repeat(101), 'ሰላም'])(
    '%s is nothing of ours',
    (text) => {
      expect(readSearchTerm(text)).toBeUndefined();
    },
  );
});

describe('the audit log', () => {
  const hashOf = (msisdn: string) => `hash of ${msisdn.length}`;

  test.each([
    '0911000001',
    '251911000001',
    '91100000100',
    code,
    `${code.slice(0, 15)}${code.endsWith('0') ? '1' : '0'}`,
    'nobody knows',
  ])('never has %s', (text) => {
    const shown = JSON.stringify(auditedTerm(readSearchTerm(text), hashOf));
    expect(shown).not.toContain('911000001');
    expect(shown).not.toContain(code.slice(0, 15));
    expect(shown).not.toContain('nobody');
  });

  test('has a number as its hash, and a reference as it is', () => {
    expect(auditedTerm(readSearchTerm('0911000001'), hashOf)).toEqual({
      by: 'number',
      numberHash: 'hash of 13',
    });
    expect(auditedTerm(readSearchTerm('RDM-1'), hashOf)).toMatchObject({ reference: 'RDM-1' });
    expect(auditedTerm(readSearchTerm('MP-1'), hashOf)).toEqual({
      by: 'reference',
      referenceHash: 'hash of 4',
    });
  });
});
