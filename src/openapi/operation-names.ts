/** The plain name of an operation; of a list, the name of its items, too. */
export interface NamedOperation {
  readonly name: string;
  readonly item?: string;
}

const list = (name: string, item: string): NamedOperation => ({ name, item });

const LOG_IN: NamedOperation = { name: 'logIn' };
const CHECK: NamedOperation = { name: 'checkAccess' };
const KEY: NamedOperation = { name: 'readKey' };
const CLAIM: NamedOperation = { name: 'initiateClaim' };
const REDEEM: NamedOperation = { name: 'redeemVoucher' };
const EVENTS: NamedOperation = { name: 'readEvents' };

/** The plain names of operations: those of clients, of schemas and of addresses of the reference. */
const namesOfOperations: Readonly<
  Record<'partner' | 'merchant', Readonly<Record<string, NamedOperation>>>
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
export function nameOfOperation(surface: 'partner' | 'merchant', id: string): NamedOperation {
  const named = namesOfOperations[surface][id];
  if (!named) throw new Error(`operation-names.ts has no name for ${surface} ${id}`);
  return named;
}

/** The name of a type: `generateVoucher` is `GenerateVoucher`. */
export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
