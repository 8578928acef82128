import { login } from '../http/access/login.js';
import type { SurfaceRoutes } from '../http/app.js';
import { checkConfiguration } from '../http/check-configuration.js';
import { listEvents } from '../http/events/list-events.js';
import { initiateClaim } from './initiate-claim.js';
import { listPayouts } from './list-payouts.js';
import { listRedemptions } from './list-redemptions.js';
import { redeemGift } from './redeem-gift.js';
import { reverseRedemption } from './reverse-redemption.js';
import { showVoucher } from './show-voucher.js';

/**
 * The merchant API (specification 4.2 and 9). `http/pipeline.ts` lists the guards that each request
 * passes, its signature among them.
 */
export const merchantRoutes: SurfaceRoutes = {
  surface: 'merchant',
  basePath: '/api/v1/merchant/client',
  endpoints: [
    login,
    checkConfiguration('POST'),
    initiateClaim,
    redeemGift,
    showVoucher,
    listRedemptions,
    reverseRedemption,
    listPayouts,
    listEvents('merchant'),
  ],
};
