/** The name of an operation in the clients and in addresses of the reference; of a list, the name of its items, too. */
interface OperationName {
  readonly name: string;
  readonly item?: string;
}

const list = (name: string, item: string): OperationName => ({ name, item });

const LOG_IN: OperationName = { name: 'logIn' };
const CHECK: OperationName = { name: 'checkAccess' };
const KEY: OperationName = { name: 'readKey' };
const CLAIM: OperationName = { name: 'initiateClaim' };
const REDEEM: OperationName = { name: 'redeemVoucher' };
const EVENTS: OperationName = { name: 'readEvents' };

/** The plain names of operations, by surface and `operationId`. */
const namesOfOperations: Readonly<
  Record<'partner' | 'merchant', Readonly<Record<string, OperationName>>>
> = {
  partner: {
    postAuthLogin: LOG_IN,
    getTest: CHECK,
    getKey: KEY,
    getMerchants: list('listMerchants', 'Merchant'),
    getMerchantCategories: list('listMerchantCategories', 'MerchantCategory'),
    getPromos: list('listPromos', 'Promo'),
    getProductList: list('listProducts', 'Product'),
    getProductCategoriesList: list('listProductCategories', 'ProductCategory'),
    getGiftDenominations: list('listDenominations', 'Denomination'),
    getPartnerGiftDenominationPrices: list('listPrices', 'SellingPrice'),
    postPartnerGiftDenominationPrices: { name: 'setPrice' },
    getInfoGetCurrentBalance: { name: 'readBalances' },
    getTransactions: { name: 'readTransactions' },
    postQuote: { name: 'quote' },
    postTopupTransactionsGenerateVoucher: { name: 'generateVoucher' },
    postVouchersBulk: { name: 'orderVouchers' },
    getBulkOrdersBulkOrderId: { name: 'readBulkOrder' },
    getBulkOrdersBulkOrderIdLines: { name: 'readBulkLines' },
    postBulkOrdersBulkOrderIdCancel: { name: 'cancelBulkOrder' },
    postTopupTransactionsInitiateClaim: CLAIM,
    postTopupTransactionsRedeemGift: REDEEM,
    postTopupTransactionsAirtimeTopup: { name: 'sendAirtime' },
    postTopupTransactionsAirtimePackageTopup: { name: 'sendPackage' },
    postTopupTransactionsRetryTopup: { name: 'retryTopUp' },
    getTopupTransactions: list('listTopUps', 'TopUp'),
    getTopupTransactionsTransactionId: { name: 'readTopUp' },
    getVouchers: list('listVouchers', 'Voucher'),
    getVouchersVoucherId: { name: 'readVoucher' },
    postVouchersVoucherIdResend: { name: 'resendMessage' },
    postVouchersVoucherIdCancel: { name: 'cancelVoucher' },
    getEvents: EVENTS,
  },
  merchant: {
    postAuthLogin: LOG_IN,
    postTest: CHECK,
    getKey: KEY,
    postTopupTransactionsInitiateClaim: CLAIM,
    postTopupTransactionsRedeemGift: REDEEM,
    getTopupTransactionsVoucherCode: { name: 'readVoucher' },
    getRedemptions: list('listRedemptions', 'Redemption'),
    postRedemptionsRedemptionIdReverse: { name: 'reverseRedemption' },
    getPayouts: list('listPayouts', 'DayOfPayouts'),
    getEvents: EVENTS,
  },
};

/** @throws {Error} for an operation without a name here */
export function nameOfOperation(surface: 'partner' | 'merchant', id: string): OperationName {
  const named = namesOfOperations[surface][id];
  if (!named) throw new Error(`operation-names.ts has no name for ${surface} ${id}`);
  return named;
}
