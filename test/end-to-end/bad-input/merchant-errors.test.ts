import { afterAll, beforeAll } from 'vitest';
import {
  type RefusalSide,
  refusalsOf,
  setRefusalSide,
  testAfterRefusals,
} from './gift-refusals.ts';
import { initiateClaimRefusals, voucherDetailRefusals } from './initiate-claim-refusals.ts';
import { redeemGiftRefusals } from './redeem-gift-refusals.ts';
import { testRefusals } from './refusals.ts';

let side: RefusalSide;
beforeAll(async () => {
  side = await setRefusalSide('merchant');
});
afterAll(() => side?.stop());

const tables = [initiateClaimRefusals, redeemGiftRefusals, voucherDetailRefusals];

testRefusals(
  'merchant',
  () => side,
  refusalsOf('merchant', () => side, tables),
);

testAfterRefusals('merchant', () => side);
