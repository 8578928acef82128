import { afterAll, beforeAll } from 'vitest';
import {
  denominationPriceRefusals,
  generateVoucherRefusals,
  listRefusals,
} from './generate-voucher.js';
import {
  type RefusalSide,
  refusalsOf,
  setRefusalSide,
  testAfterRefusals,
} from './gift-refusals.js';
import { initiateClaimRefusals } from './initiate-claim.js';
import { redeemGiftRefusals } from './redeem-gift.js';
import { testRefusals } from './refusals.js';

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
