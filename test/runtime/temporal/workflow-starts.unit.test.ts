import { describe, expect, it } from 'vitest';
import { claimIdFor, redemptionWorkflowId } from '../../../src/runtime/temporal/workflow-starts.ts';

const voucher = {
  generationId: 'made',
  serialNumber: '123',
  claimOperationId: null,
  claimWorkflowId: null,
};
const claimed = { ...voucher, claimOperationId: 'op', claimWorkflowId: 'claim:123:op' };

describe('the workflow of a redemption', () => {
  it('is the one that is kept on the row of the live claim', () => {
    expect(redemptionWorkflowId(claimed)).toBe('claim:123:op');
  });

  it('is one of its own without a claim', () => {
    expect(redemptionWorkflowId(voucher)).toBe('redeem-voucher:unclaimed-made');
  });
});

describe('the workflow of a claim', () => {
  it('names the voucher and the operation', () => {
    expect(claimIdFor(voucher, 'op')).toBe('claim:123:op');
    expect(claimIdFor(claimed, 'other')).toBe('claim:123:other');
  });

  it('is the one that runs where the claim is the live one', () => {
    expect(claimIdFor(claimed, 'op')).toBe('claim:123:op');
  });
});
