import { login } from '../http/access/login.ts';
import { showKey } from '../http/access/show-key.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import { checkConfiguration } from '../http/check-configuration.ts';
import { listEvents } from '../http/events/list-events.ts';
import { initiateClaim } from './initiate-claim.ts';
import { listPayouts } from './list-payouts.ts';
import { listRedemptions } from './list-redemptions.ts';
import { redeemGift } from './redeem-gift.ts';
import { reverseRedemption } from './reverse-redemption.ts';
import { showVoucher } from './show-voucher.ts';

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
    showKey,
    initiateClaim,
    redeemGift,
    showVoucher,
    listRedemptions,
    reverseRedemption,
    listPayouts,
    listEvents('merchant'),
  ],
};
