/** What mobile money charges for a payout, in ETB. */
export const PAYOUT_FEE = '1.00';
