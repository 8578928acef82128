import { afterAll, beforeAll } from 'vitest';
import {
  denominationPriceRefusals,
  generateVoucherRefusals,
  listRefusals,
} from './generate-voucher-refusals.ts';
import {
  type RefusalSide,
  refusalsOf,
  setRefusalSide,
  testAfterRefusals,
} from './gift-refusals.ts';
import { initiateClaimRefusals } from './initiate-claim-refusals.ts';
import { redeemGiftRefusals } from './redeem-gift-refusals.ts';
import { testRefusals } from './refusals.ts';

let side: RefusalSide;
beforeAll(async () => {
  side = await setRefusalSide('partner');
});
afterAll(() => side?.stop());

const tables = [
  generateVoucherRefusals,
  initiateClaimRefusals,
  redeemGiftRefusals,
  denominationPriceRefusals,
  listRefusals,
];

testRefusals(
  'partner',
  () => side,
  refusalsOf('partner', () => side, tables),
);

testAfterRefusals('partner', () => side);
