import { login, showKey } from '../http/access/login.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import { checkConfiguration } from '../http/check-configuration.ts';
import { listEvents } from '../http/events.ts';
import {
  listPayoutsEndpoint,
  listRedemptionsEndpoint,
  reverseRedemptionEndpoint,
} from './redemptions.ts';
import {
  merchantInitiateClaimEndpoint,
  merchantRedeemGiftEndpoint,
  merchantShowVoucherEndpoint,
} from './vouchers.ts';

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
    merchantInitiateClaimEndpoint,
    merchantRedeemGiftEndpoint,
    merchantShowVoucherEndpoint,
    listRedemptionsEndpoint,
    reverseRedemptionEndpoint,
    listPayoutsEndpoint,
    listEvents('merchant'),
  ],
};
