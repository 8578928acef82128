import { describe, expect, test } from 'vitest';
import { auditedTerm, readSearchTerm, type SearchTerm } from '../../../src/domain/staff.ts';
import { voucherCodeFromRandom } from '../../../src/domain/vouchers/voucher.ts';
import * as workflowIds from '../../../workflows/workflow-ids.ts';

const code = voucherCodeFromRandom(Buffer.from('fourteen bytes'));
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
    ['  17 ', { topupId: 17, reference: '17' }],
    ['\u202a+251 911 000 001\u202c', { msisdn: '+251911000001' }],
    ['CBE 2026/0042 #7 + ሰላም=', { reference: 'CBE 2026/0042 #7 + ሰላም=' }],
    ["a'; drop", { reference: "a'; drop" }],
    ['Case 12', { caseId: 12 }],
    ['Abay\nTrading', { name: 'Abay Trading' }],
    ['repair #7', { repairId: 7 }],
    ['Bulk order 3', { bulkOrderId: 3 }],
    ['top-up 17', { topupId: 17 }],
    ['Abay Trading', { name: 'Abay Trading', reference: 'Abay Trading' }],
    ['hanna@service.example', { name: 'hanna@service.example' }],
  ])('%s', (text, expected) => {
    expect(readSearchTerm(text)).toMatchObject(expected);
  });

  test.each(['17', '0911000001', code, 'ab'])('%s is no name', (text) => {
    expect(readSearchTerm(text)).not.toHaveProperty('name');
  });

  test.each(['', '   ', 'x'.repeat(201), '\0'])('%j is nothing of ours', (text) => {
    expect(readSearchTerm(text)).toBeUndefined();
  });
});

type IdFunction = Exclude<keyof typeof workflowIds, 'webhookTaskQueue' | 'caseId'>;

const serial = '012345678901234567';
const ofOperation: SearchTerm = { operationId };
const ofService: SearchTerm = { about: expect.any(String) };

/** An id of each function, and what it is understood as: the compiler asks for a new one. */
const ids: Readonly<Record<IdFunction, readonly [id: string, expected: SearchTerm]>> = {
  generateVoucherId: [workflowIds.generateVoucherId(operationId), ofOperation],
  cancelVoucherId: [workflowIds.cancelVoucherId(operationId), ofOperation],
  generateBulkId: [workflowIds.generateBulkId(3, operationId), ofOperation],
  resendMessageId: [workflowIds.resendMessageId(operationId), ofOperation],
  claimId: [workflowIds.claimId(serial, operationId), { serialNumber: serial }],
  redeemVoucherWithoutClaimId: [workflowIds.redeemVoucherWithoutClaimId(operationId), ofOperation],
  reverseRedemptionId: [workflowIds.reverseRedemptionId(4, operationId), { redemptionId: 4 }],
  repairWorkflowId: [workflowIds.repairWorkflowId(5, operationId), ofOperation],
  expireVouchersId: [workflowIds.expireVouchersId('queue'), ofService],
  reconcileId: [workflowIds.reconcileId('queue'), ofService],
  archiveLedgerId: [workflowIds.archiveLedgerId('queue'), ofService],
  checkBooksId: [workflowIds.checkBooksId('queue'), ofService],
  checkPayoutAccountId: [workflowIds.checkPayoutAccountId(6, 'queue'), ofService],
  compareStatementsId: [workflowIds.compareStatementsId('queue'), ofService],
  watchBalancesId: [workflowIds.watchBalancesId('queue'), ofService],
  topupId: [workflowIds.topupId(17, operationId), { topupId: 17 }],
  deliverWebhooksId: [workflowIds.deliverWebhooksId(9, 'queue'), ofService],
};

type Case = Parameters<typeof workflowIds.caseId>[0];

const cases: Readonly<Record<Case['kind'], readonly [name: Case, expected: SearchTerm]>> = {
  case: [
    { kind: 'case', id: 3 },
    { caseId: 3, ...ofService },
  ],
  'due-vouchers': [{ kind: 'due-vouchers', partnerId: 1, dueUntil: '2026-11-25' }, ofService],
  'refused-rows': [{ kind: 'refused-rows', rows: 'claim', ids: ['1'] }, ofService],
  books: [{ kind: 'books' }, ofService],
};

describe('the id of a workflow is understood', () => {
  test.each(Object.entries(ids))('%s', (_name, [id, expected]) => {
    expect(readSearchTerm(id)).toEqual(expected);
    expect(readSearchTerm(` ${id.replace('queue', 'Queue of ours')} `)).toEqual(expected);
  });

  test.each(Object.entries(cases))('caseId of %s', (_kind, [name, expected]) => {
    expect(readSearchTerm(workflowIds.caseId(name, 'queue'))).toEqual(expected);
  });

  test('of every function that there is', () => {
    const known = [...Object.keys(ids), 'caseId', 'webhookTaskQueue'];
    expect(Object.keys(workflowIds).sort()).toEqual(known.sort());
  });

  test('also of a run that a Schedule started', () => {
    expect(readSearchTerm('reconcile:queue-2026-11-25T01:00:00Z')).toEqual(ofService);
  });
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
    '911000001 and nobody',
  ])('never has %s', (text) => {
    const shown = JSON.stringify(auditedTerm(readSearchTerm(text), hashOf, true));
    expect(shown).not.toContain('911000001');
    expect(shown).not.toContain(code.slice(0, 15));
    expect(shown).not.toContain('nobody');
  });

  test('has the id of a top-up, and no digits that may be a verification code', () => {
    const audited = (isFound: boolean) => auditedTerm(readSearchTerm('417283'), hashOf, isFound);
    expect(audited(true)).toEqual({ by: 'reference', topupId: 417_283 });
    expect(audited(false)).toEqual({ by: 'reference', referenceHash: 'hash of 6' });
  });

  test('has a number as its hash, and a reference as it is', () => {
    expect(auditedTerm(readSearchTerm('0911000001'), hashOf, true)).toEqual({
      by: 'number',
      numberHash: 'hash of 13',
    });
    for (const reference of ['RDM-0123456789ABCDEF', 'rdm-0123456789abcdef'])
      expect(auditedTerm(readSearchTerm(reference), hashOf, true)).toEqual({
        by: 'reference',
        reference,
      });
    expect(auditedTerm(readSearchTerm('RDM-0911000001'), hashOf, true)).toEqual({
      by: 'reference',
      referenceHash: 'hash of 14',
    });
    expect(auditedTerm(readSearchTerm('reconcile:queue'), hashOf, true)).toMatchObject({
      by: 'workflow',
    });
    expect(auditedTerm(readSearchTerm('MP-1'), hashOf, true)).toEqual({
      by: 'reference',
      referenceHash: 'hash of 4',
    });
  });
});
