import { login, showKey } from '../http/access/login.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import { checkConfiguration } from '../http/check-configuration.ts';
import { listEvents } from '../http/events.ts';
import { cancelBulkOrder, listBulkLines, orderVouchers, showBulkOrder } from './bulk-orders.ts';
import { listTransactions } from './list-transactions.ts';
import { lists } from './lists.ts';
import { setDenominationPrice } from './prices.ts';
import { quote } from './quote.ts';
import { showBalance } from './show-balance.ts';
import { listTopups, retryTopup, showTopup, topUpAirtime, topUpPackage } from './topups.ts';
import {
  cancelVoucher,
  generateVoucher,
  initiateClaim,
  listVouchers,
  redeemGift,
  resendMessage,
  showVoucher,
} from './vouchers.ts';

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
