import { login } from '../http/access/login.ts';
import { showKey } from '../http/access/show-key.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import { checkConfiguration } from '../http/check-configuration.ts';
import { listEvents } from '../http/events/list-events.ts';
import { cancelBulkOrder } from './bulk/cancel-bulk-order.ts';
import { listBulkLines } from './bulk/list-bulk-lines.ts';
import { orderVouchers } from './bulk/order-vouchers.ts';
import { showBulkOrder } from './bulk/show-bulk-order.ts';
import { listTransactions } from './list-transactions.ts';
import { lists } from './lists.ts';
import { setDenominationPrice } from './set-denomination-price.ts';
import { showBalance } from './show-balance.ts';
import { listTopups } from './topups/list-topups.ts';
import { retryTopup } from './topups/retry-topup.ts';
import { showTopup } from './topups/show-topup.ts';
import { topUpAirtime } from './topups/top-up-airtime.ts';
import { topUpPackage } from './topups/top-up-package.ts';
import { cancelVoucher } from './vouchers/cancel-voucher.ts';
import { generateVoucher } from './vouchers/generate-voucher.ts';
import { initiateClaim } from './vouchers/initiate-claim.ts';
import { listVouchers } from './vouchers/list-vouchers.ts';
import { quote } from './vouchers/quote.ts';
import { redeemGift } from './vouchers/redeem-gift.ts';
import { resendMessage } from './vouchers/resend-message.ts';
import { showVoucher } from './vouchers/show-voucher.ts';

/** The partner API (specification 4.1 and 9). */
export const partnerRoutes: SurfaceRoutes = {
  surface: 'partner',
  basePath: '/api/v1/client',
  endpoints: [
    login,
    checkConfiguration('GET'),
    showKey,
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
