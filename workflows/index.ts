export { expireVouchers } from './expire-vouchers.js';
export { finishMessage } from './finish-message.js';
export { followCase } from './follow-case.js';
export { generateVoucher } from './generate-voucher.js';
export { inviteMerchant } from './invite-merchant.js';
export { reconcile } from './reconcile.js';
export { redeemVoucher } from './redeem-voucher.js';
export { topUp } from './top-up.js';
