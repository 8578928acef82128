import { afterAll, beforeAll } from 'vitest';
import {
  type RefusalSide,
  refusalsOf,
  setRefusalSide,
  testAfterRefusals,
} from './gift-refusals.js';
import { initiateClaimRefusals, voucherDetailRefusals } from './initiate-claim-refusals.js';
import { redeemGiftRefusals } from './redeem-gift-refusals.js';
import { testRefusals } from './refusals.js';

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
