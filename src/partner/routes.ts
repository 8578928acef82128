import { login } from '../http/access/login.js';
import type { SurfaceRoutes } from '../http/app.js';
import { checkConfiguration } from '../http/check-configuration.js';
import { listEvents } from '../http/events/list-events.js';
import { cancelBulkOrder } from './bulk/cancel-bulk-order.js';
import { listBulkLines } from './bulk/list-bulk-lines.js';
import { orderVouchers } from './bulk/order-vouchers.js';
import { showBulkOrder } from './bulk/show-bulk-order.js';
import { listTransactions } from './list-transactions.js';
import { lists } from './lists.js';
import { setDenominationPrice } from './set-denomination-price.js';
import { showBalance } from './show-balance.js';
import { listTopups } from './topups/list-topups.js';
import { retryTopup } from './topups/retry-topup.js';
import { showTopup } from './topups/show-topup.js';
import { topUpAirtime } from './topups/top-up-airtime.js';
import { topUpPackage } from './topups/top-up-package.js';
import { cancelVoucher } from './vouchers/cancel-voucher.js';
import { generateVoucher } from './vouchers/generate-voucher.js';
import { initiateClaim } from './vouchers/initiate-claim.js';
import { listVouchers } from './vouchers/list-vouchers.js';
import { quote } from './vouchers/quote.js';
import { redeemGift } from './vouchers/redeem-gift.js';
import { resendMessage } from './vouchers/resend-message.js';
import { showVoucher } from './vouchers/show-voucher.js';

/** The partner API (specification 4.1 and 9). */
export const partnerRoutes: SurfaceRoutes = {
  surface: 'partner',
  basePath: '/api/v1/client',
  endpoints: [
    login,
    checkConfiguration('GET'),
    ...lists,
    showBalance,
    quote,
    listTransactions,
    setDenominationPrice,
    generateVoucher,
    orderVouchers,
    showBulkOrder,
    listBulkLines,
    cancelBulkOrder,
    initiateClaim,
    resendMessage,
    redeemGift,
    topUpAirtime,
    topUpPackage,
    retryTopup,
    listTopups,
    showTopup,
    listVouchers,
    showVoucher,
    cancelVoucher,
    listEvents('partner'),
  ],
};
