import { afterAll, beforeAll } from 'vitest';
import {
  denominationPriceRefusals,
  generateVoucherRefusals,
  listRefusals,
} from './generate-voucher-refusals.js';
import {
  type RefusalSide,
  refusalsOf,
  setRefusalSide,
  testAfterRefusals,
} from './gift-refusals.js';
import { initiateClaimRefusals } from './initiate-claim-refusals.js';
import { redeemGiftRefusals } from './redeem-gift-refusals.js';
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
