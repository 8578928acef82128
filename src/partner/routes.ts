import { login } from '../http/access/login.js';
import type { SurfaceRoutes } from '../http/app.js';
import { checkConfiguration } from '../http/check-configuration.js';
import { listEvents } from '../http/events/list-events.js';
import { cancelBulkOrder } from './bulk/cancel-bulk-order.js';
import { listBulkLines } from './bulk/list-bulk-lines.js';
import { orderVouchers } from './bulk/order-vouchers.js';
import { showBulkOrder } from './bulk/show-bulk-order.js';
import { cancelVoucher } from './cancel-voucher.js';
import { generateVoucher } from './generate-voucher.js';
import { initiateClaim } from './initiate-claim.js';
import { listTopups } from './list-topups.js';
import { listTransactions } from './list-transactions.js';
import { listVouchers } from './list-vouchers.js';
import { lists } from './lists.js';
import { quote } from './quote.js';
import { redeemGift } from './redeem-gift.js';
import { resendMessage } from './resend-message.js';
import { retryTopup } from './retry-topup.js';
import { setDenominationPrice } from './set-denomination-price.js';
import { showBalance } from './show-balance.js';
import { showTopup } from './show-topup.js';
import { showVoucher } from './show-voucher.js';
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
