/** The name of an operation in the clients; of a list, the name of its items, too. */
export interface ClientName {
  readonly name: string;
  readonly item?: string;
}

const list = (name: string, item: string): ClientName => ({ name, item });

const LOG_IN: ClientName = { name: 'logIn' };
const CHECK: ClientName = { name: 'checkAccess' };
const CLAIM: ClientName = { name: 'initiateClaim' };
const REDEEM: ClientName = { name: 'redeemVoucher' };
const EVENTS: ClientName = { name: 'readEvents' };

/** The plain names of operations in the clients, by surface and `operationId`. */
export const namesOfOperations: Readonly<
  Record<'partner' | 'merchant', Readonly<Record<string, ClientName>>>
> = {
  partner: {
    postAuthLogin: LOG_IN,
    getTest: CHECK,
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
    postTopupTransactionsInitiateClaim: CLAIM,
    postTopupTransactionsRedeemGift: REDEEM,
    getTopupTransactionsVoucherCode: { name: 'readVoucher' },
    getRedemptions: list('listRedemptions', 'Redemption'),
    postRedemptionsRedemptionIdReverse: { name: 'reverseRedemption' },
    getPayouts: list('listPayouts', 'DayOfPayouts'),
    getEvents: EVENTS,
  },
};
