import { login } from '../http/access/login.js';
import type { SurfaceRoutes } from '../http/app.js';
import { checkConfiguration } from '../http/check-configuration.js';
import { generateVoucher } from './generate-voucher.js';
import { initiateClaim } from './initiate-claim.js';
import { listTopups } from './list-topups.js';
import { lists } from './lists.js';
import { redeemGift } from './redeem-gift.js';
import { retryTopup } from './retry-topup.js';
import { setDenominationPrice } from './set-denomination-price.js';
import { showBalance } from './show-balance.js';
import { showTopup } from './show-topup.js';
import { topUpAirtime } from './top-up-airtime.js';
import { topUpPackage } from './top-up-package.js';

/** The partner API (specification 4.1 and 9). */
export const partnerRoutes: SurfaceRoutes = {
  surface: 'partner',
  basePath: '/api/v1/client',
  endpoints: [
    login,
    checkConfiguration('GET'),
    ...lists,
    showBalance,
    setDenominationPrice,
    generateVoucher,
    initiateClaim,
    redeemGift,
    topUpAirtime,
    topUpPackage,
    retryTopup,
    listTopups,
    showTopup,
  ],
};
