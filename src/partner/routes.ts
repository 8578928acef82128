import { login, showKey } from '../http/access/login.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import { checkConfiguration } from '../http/check-configuration.ts';
import { listEvents } from '../http/events.ts';
import {
  cancelBulkOrderEndpoint,
  listBulkLinesEndpoint,
  orderVouchersEndpoint,
  showBulkOrderEndpoint,
} from './bulk-orders.ts';
import { listTransactionsEndpoint } from './list-transactions.ts';
import { partnerLists } from './lists.ts';
import { setDenominationPriceEndpoint } from './prices.ts';
import { quoteEndpoint } from './quote.ts';
import { showBalanceEndpoint } from './show-balance.ts';
import {
  listTopupsEndpoint,
  retryTopupEndpoint,
  showTopupEndpoint,
  topupAirtimeEndpoint,
  topupPackageEndpoint,
} from './topups.ts';
import {
  cancelVoucherEndpoint,
  generateVoucherEndpoint,
  listVouchersEndpoint,
  partnerInitiateClaimEndpoint,
  partnerRedeemGiftEndpoint,
  partnerShowVoucherEndpoint,
  resendMessageEndpoint,
} from './vouchers.ts';

/** The partner API (specification 4.1 and 9). */
export const partnerRoutes: SurfaceRoutes = {
  surface: 'partner',
  basePath: '/api/v1/client',
  endpoints: [
    login,
    checkConfiguration('GET'),
    showKey,
    ...partnerLists,
    showBalanceEndpoint,
    quoteEndpoint,
    listTransactionsEndpoint,
    setDenominationPriceEndpoint,
    generateVoucherEndpoint,
    orderVouchersEndpoint,
    showBulkOrderEndpoint,
    listBulkLinesEndpoint,
    cancelBulkOrderEndpoint,
    partnerInitiateClaimEndpoint,
    resendMessageEndpoint,
    partnerRedeemGiftEndpoint,
    topupAirtimeEndpoint,
    topupPackageEndpoint,
    retryTopupEndpoint,
    listTopupsEndpoint,
    showTopupEndpoint,
    listVouchersEndpoint,
    partnerShowVoucherEndpoint,
    cancelVoucherEndpoint,
    listEvents('partner'),
  ],
};
