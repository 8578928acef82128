export type Surface = 'partner' | 'merchant';

export type Operation =
  | 'login'
  | 'check-configuration'
  | 'show-key'
  | 'token-keys'
  | 'generate-voucher'
  | 'initiate-claim'
  | 'redeem-gift'
  | 'reverse-redemption'
  | 'order-vouchers'
  | 'show-bulk-order'
  | 'list-bulk-lines'
  | 'cancel-bulk-order'
  | 'voucher-detail'
  | 'set-denomination-price'
  | 'airtime-topup'
  | 'airtime-package-topup'
  | 'retry-topup'
  | 'show-topup'
  | 'show-voucher'
  | 'cancel-voucher'
  | 'resend-message'
  | 'provider-callback'
  | 'list-events'
  | 'quote'
  | 'list-transactions'
  | 'list';

/**
 * The remedy of a caller: none, correct the request, remove the cause, or repeat the request
 * unchanged. Others are to log in or ask support before that, to wait, to retry a top-up, or to
 * claim the voucher again.
 */
export type Remedy =
  | 'none'
  | 'correct'
  | 'resolve'
  | 'repeat'
  | 'log-in'
  | 'support'
  | 'wait'
  | 'retry'
  | 'claim-again';

type Cells = Partial<Record<Operation, number>>;

export interface ReasonRow {
  /** The mistake and the remedy. A reply may append a detail of the case. */
  readonly message: string;
  readonly remedy: Remedy;
  /**
   * The idempotency key keeps this refusal. The request counted a wrong verification code, its money was held, a
   * reversal was sent, or the voucher can never be redeemed there. After any other reason the same request under the
   * same key runs again.
   */
  readonly isFinal?: true;
  readonly partner?: Cells;
  readonly merchant?: Cells;
  /** The default statusCode on both surfaces; a cell overrides it. */
  readonly everywhere?: number;
}

/**
 * Every reason for which a request can be refused or fail: one row each, with the statusCode that
 * each surface answers per operation (specification 7.2 and 7.3). The order of the rows is
 * the order of the checks.
 */
export const reasons = {
  // The form of the request; the server refuses it before it knows the endpoint.
  'http-malformed': {
    message: 'The request is not valid HTTP',
    remedy: 'correct',
    everywhere: 400,
  },
  'request-too-slow': {
    message: 'The request took too long to arrive',
    remedy: 'repeat',
    everywhere: 408,
  },
  'expectation-unsupported': {
    message: 'The expectation of the header Expect is not supported',
    remedy: 'correct',
    everywhere: 417,
  },
  'headers-too-large': {
    message: 'The request headers are too large or too many',
    remedy: 'correct',
    everywhere: 431,
  },

  // Access and format; these checks precede every business rule.
  'route-not-found': { message: 'There is no such endpoint', remedy: 'correct', everywhere: 404 },
  'method-not-allowed': {
    message: 'This endpoint does not support this method',
    remedy: 'correct',
    everywhere: 405,
  },
  'too-many-requests': { message: 'Too many requests', remedy: 'wait', everywhere: 429 },
  'api-key-invalid': {
    message: 'The API key is not valid',
    remedy: 'correct',
    everywhere: 401,
  },
  'token-invalid': {
    message: 'The access token is missing, expired or not valid: log in again',
    remedy: 'log-in',
    everywhere: 401,
  },
  'account-suspended': {
    message: 'The account is suspended: contact support',
    remedy: 'support',
    everywhere: 403,
  },
  'address-not-registered': {
    message: 'Requests are accepted from registered addresses only; this address is not registered',
    remedy: 'correct',
    everywhere: 403,
  },
  'scope-missing': {
    message: 'The API key lacks the scope that this call needs',
    remedy: 'correct',
    everywhere: 403,
  },
  'body-too-large': {
    message: 'The request body is too large',
    remedy: 'correct',
    everywhere: 413,
  },
  'media-type-unsupported': {
    message: 'Send the body as application/json in UTF-8, without content encoding',
    remedy: 'correct',
    everywhere: 415,
  },
  'signature-invalid': {
    message: 'The x-signature header does not match the request',
    remedy: 'correct',
    everywhere: 401,
  },
  'request-invalid': { message: 'The request is not valid', remedy: 'correct', everywhere: 400 },
  'key-reused': {
    message: 'This idempotency key was already used for a different request',
    remedy: 'correct',
    everywhere: 422,
  },
  'signed-request-reused': {
    message: 'This signed request or its message was already used for a different request',
    remedy: 'correct',
    everywhere: 422,
  },
  'page-not-found': {
    message: 'The list has no such page',
    remedy: 'correct',
    partner: { list: 404 },
    merchant: { list: 404 },
  },
  'cursor-outdated': {
    message:
      'The cursor is from before a restore of the service, or older than the events that are kept: ' +
      'begin without `after`, and skip the ids that you have',
    remedy: 'correct',
    everywhere: 410,
  },

  // Generation of vouchers.
  'merchant-unspecified': {
    message: 'Specify the merchant by merchantId or merchantIdentifier',
    remedy: 'correct',
    partner: { 'generate-voucher': 400, quote: 400 },
  },
  'product-not-accessible': {
    message: 'You have no access to this product',
    remedy: 'resolve',
    partner: {
      'generate-voucher': 404,
      'airtime-topup': 404,
      'airtime-package-topup': 404,
      'retry-topup': 404,
    },
  },
  'denomination-not-found': {
    message: 'There is no active denomination with this id',
    remedy: 'correct',
    partner: { 'generate-voucher': 404, 'set-denomination-price': 404 },
  },

  'country-not-served': {
    message: 'Messages are not sent to numbers of this country',
    remedy: 'correct',
    everywhere: 400,
  },
  'bulk-order-not-found': {
    message: 'There is no bulk order with this id',
    remedy: 'correct',
    partner: { 'show-bulk-order': 404, 'list-bulk-lines': 404, 'cancel-bulk-order': 404 },
  },
  'generation-unknown': {
    message:
      'The result of the generation is not known yet. Without an Idempotency-Key, a repeated ' +
      'request would generate another voucher: check the balance first',
    remedy: 'none',
    partner: { 'generate-voucher': 409 },
  },

  // Top-ups of airtime and packages.
  'topup-not-found': {
    message: 'There is no top-up with this transaction id',
    remedy: 'correct',
    partner: { 'retry-topup': 404, 'show-topup': 404 },
  },
  'topup-not-failed': {
    message: 'Only a failed top-up can be retried',
    remedy: 'none',
    partner: { 'retry-topup': 409 },
  },
  'number-erased': {
    message: 'The phone number of this top-up was erased: retry it with the number in msisdn',
    remedy: 'correct',
    partner: { 'retry-topup': 400 },
  },
  'number-not-served': {
    message: 'The service sends no top-ups to the operator of this phone number',
    remedy: 'correct',
    partner: { 'airtime-topup': 400, 'airtime-package-topup': 400, 'retry-topup': 400 },
  },
  'operator-mismatch': {
    message: 'The package belongs to a different operator than the phone number',
    remedy: 'correct',
    partner: { 'airtime-package-topup': 400, 'retry-topup': 400 },
  },
  'amount-out-of-range': {
    message: 'The amount is outside the range that the operator accepts',
    remedy: 'correct',
    partner: { 'airtime-topup': 400, 'retry-topup': 400 },
  },
  'topup-failed': {
    message: 'The top-up failed and nothing was charged; it can be retried',
    remedy: 'retry',
    isFinal: true,
    partner: { 'airtime-topup': 424, 'airtime-package-topup': 424, 'retry-topup': 424 },
  },
  // The same failure, told again when the top-up stands otherwise.
  'topup-delivered-since': {
    message: 'This attempt failed, and the top-up was delivered since: do not retry it',
    remedy: 'none',
    isFinal: true,
    partner: { 'airtime-topup': 424, 'airtime-package-topup': 424, 'retry-topup': 424 },
  },
  'topup-retried-since': {
    message: 'This attempt failed, and another one is being processed',
    remedy: 'none',
    isFinal: true,
    partner: { 'airtime-topup': 424, 'airtime-package-topup': 424, 'retry-topup': 424 },
  },

  // Claims and redemptions.
  'voucher-not-found': {
    message: 'There is no voucher with this code',
    remedy: 'correct',
    partner: { 'initiate-claim': 404, 'redeem-gift': 404 },
    merchant: { 'initiate-claim': 4041, 'redeem-gift': 4041, 'voucher-detail': 4041 },
  },
  'voucher-id-not-found': {
    message: 'There is no voucher with this id',
    remedy: 'correct',
    partner: { 'show-voucher': 404, 'cancel-voucher': 404, 'resend-message': 404 },
  },
  'voucher-restricted': {
    message: 'The voucher is restricted to its merchant; the merchant cannot be changed',
    remedy: 'none',
    isFinal: true,
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4031 },
  },
  'merchant-not-found': {
    message: 'There is no active merchant with this id or identifier',
    remedy: 'correct',
    partner: {
      'generate-voucher': 404,
      'initiate-claim': 404,
      'redeem-gift': 404,
      'set-denomination-price': 404,
    },
    merchant: {
      'initiate-claim': 4043,
      'redeem-gift': 4043,
      'voucher-detail': 4043,
      'reverse-redemption': 4043,
    },
  },
  'partner-unavailable': {
    message: 'The partner company that issued the voucher is not available',
    remedy: 'repeat',
    merchant: { 'initiate-claim': 4045, 'redeem-gift': 4045 },
  },
  'price-not-defined': {
    message: 'No price is defined for the product: set a selling price for this denomination first',
    remedy: 'resolve',
    partner: { 'generate-voucher': 404 },
  },
  'money-insufficient': {
    message: 'Not enough money in the wallet',
    remedy: 'resolve',
    partner: {
      'generate-voucher': 405,
      'airtime-topup': 400,
      'airtime-package-topup': 405,
      'retry-topup': 405,
    },
  },
  'daily-limit-reached': {
    message: 'This is more than the daily limit leaves',
    remedy: 'wait',
    partner: {
      'generate-voucher': 429,
      'airtime-topup': 429,
      'airtime-package-topup': 429,
      'retry-topup': 429,
    },
  },
  'voucher-redeemed': {
    message: 'The voucher is already redeemed',
    remedy: 'none',
    partner: { 'initiate-claim': 404, 'redeem-gift': 404, 'cancel-voucher': 404 },
    merchant: { 'initiate-claim': 4042, 'redeem-gift': 4032 },
  },
  'redemption-in-progress': {
    message:
      'A redemption of this voucher is in progress: repeat the same request to get its result',
    remedy: 'repeat',
    partner: { 'initiate-claim': 409, 'redeem-gift': 409 },
    merchant: { 'initiate-claim': 4092, 'redeem-gift': 4092 },
  },
  'voucher-being-redeemed': {
    message: 'A redemption of this voucher is being paid: repeat the request when it has ended',
    remedy: 'repeat',
    partner: { 'cancel-voucher': 409 },
  },
  'voucher-expired': {
    message: 'The expiration date of the voucher has passed',
    remedy: 'none',
    partner: { 'initiate-claim': 403, 'redeem-gift': 403, 'cancel-voucher': 403 },
    merchant: { 'initiate-claim': 4036, 'redeem-gift': 4036 },
  },
  'claim-not-needed': {
    message: 'The voucher is anonymous: redeem it without a claim and without a code',
    remedy: 'correct',
    everywhere: 400,
  },
  'verification-code-missing': {
    message: 'The verification code is missing',
    remedy: 'correct',
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4033 },
  },
  'claim-not-found': {
    message: 'The owner has not started a redemption: initiate a claim first',
    remedy: 'correct',
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4034 },
  },
  'attempts-exhausted': {
    message: 'Too many wrong verification codes for this voucher',
    remedy: 'wait',
    everywhere: 429,
  },
  'verification-code-incorrect': {
    message: 'The verification code is incorrect',
    remedy: 'correct',
    isFinal: true,
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4035 },
  },
  'msisdn-not-owner': {
    message: 'The phone number is not that of the voucher owner: omit it',
    remedy: 'correct',
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4035 },
  },
  'amount-not-claimed': {
    message: 'The amount differs from the claimed amount: omit it, or claim again',
    remedy: 'correct',
    everywhere: 400,
  },
  'service-fee-missing': {
    message: 'The service fee of the merchant could not be read: contact support, then repeat',
    remedy: 'support',
    partner: { 'initiate-claim': 500, 'redeem-gift': 500 },
    merchant: { 'initiate-claim': 5001, 'redeem-gift': 5001, 'voucher-detail': 5001 },
  },
  'balance-insufficient': {
    message: 'The voucher balance is insufficient for this redemption',
    remedy: 'none',
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4044 },
  },
  'amount-exceeds-balance': {
    message: 'The amount is more than the remaining voucher amount',
    remedy: 'correct',
    partner: { 'initiate-claim': 403, 'redeem-gift': 403 },
    merchant: { 'initiate-claim': 4091, 'redeem-gift': 4091 },
  },
  'balance-negative-after-fee': {
    message: 'The remaining balance does not cover the service fee: claim a smaller amount',
    remedy: 'correct',
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4096 },
  },
  'amount-too-small': {
    message: 'The amount is below the minimum of a partial redemption',
    remedy: 'correct',
    everywhere: 400,
  },
  'parts-exhausted': {
    message:
      'The voucher reached its limit of partial redemptions: only the whole balance can be redeemed',
    remedy: 'correct',
    everywhere: 400,
  },
  'amount-not-payable': {
    message: 'The mobile-money provider cannot pay this amount exactly',
    remedy: 'correct',
    everywhere: 400,
  },
  'payout-account-missing': {
    message: 'The merchant has no payout account: contact support, then repeat',
    remedy: 'support',
    partner: { 'initiate-claim': 404, 'redeem-gift': 404 },
    merchant: { 'initiate-claim': 5031, 'redeem-gift': 5031 },
  },
  'nothing-to-resend': {
    message: 'The owner misses no message: no claim is open, and the last confirmation was sent',
    remedy: 'none',
    partner: { 'resend-message': 404 },
  },
  'resend-too-soon': {
    message: 'A message was sent to the owner a moment ago',
    remedy: 'wait',
    everywhere: 429,
  },
  'message-too-soon': {
    message: 'A verification code was sent a moment ago',
    remedy: 'wait',
    everywhere: 429,
  },
  'messages-exhausted': {
    message: 'Too many messages were sent to this number today',
    remedy: 'wait',
    everywhere: 429,
  },
  'messages-refused': {
    message: 'The provider refused too many messages to this number: check the number, then wait',
    remedy: 'wait',
    everywhere: 429,
  },

  'company-messages-exhausted': {
    message:
      'Your company has reached its daily message limit: wait, or ask support for a higher limit',
    remedy: 'wait',
    everywhere: 429,
  },
  'number-limit-reached': {
    message: 'This phone number has reached its limit of the day',
    remedy: 'wait',
    everywhere: 429,
  },

  // Reversals of redemptions.
  'redemption-not-found': {
    message: 'There is no redemption with this id that you were paid for',
    remedy: 'correct',
    merchant: { 'reverse-redemption': 4046 },
  },
  'reversal-in-progress': {
    message: 'A reversal of this redemption is in progress: GET /redemptions shows its end',
    remedy: 'repeat',
    merchant: { 'reverse-redemption': 4097 },
  },
  'redemption-reversed': {
    message: 'The redemption is already reversed',
    remedy: 'none',
    merchant: { 'reverse-redemption': 4098 },
  },
  'redemption-not-paid': {
    message: 'Only a redemption that was paid can be reversed',
    remedy: 'repeat',
    merchant: { 'reverse-redemption': 4099 },
  },
  'reversal-not-supported': {
    message: 'Redemptions cannot be reversed here: contact support',
    remedy: 'support',
    merchant: { 'reverse-redemption': 4037 },
  },
  'reversal-too-late': {
    message: 'The time within which a redemption can be reversed has passed: contact support',
    remedy: 'none',
    merchant: { 'reverse-redemption': 4038 },
  },

  // Failed writes; the transaction rolled back.
  'status-not-updated': {
    message: 'The status of the voucher could not be updated: nothing was changed',
    remedy: 'repeat',
    everywhere: 500,
    merchant: { 'initiate-claim': 5002, 'redeem-gift': 5002 },
  },
  'reserve-not-updated': {
    message: 'The reserved balance could not be updated: contact support, then repeat',
    remedy: 'support',
    everywhere: 500,
    merchant: { 'redeem-gift': 4093 },
  },
  'redemption-not-recorded': {
    message: 'The redemption could not be recorded: nothing was changed',
    remedy: 'repeat',
    everywhere: 500,
    merchant: { 'redeem-gift': 4094 },
  },
  'reserve-not-debited': {
    message:
      'The reserved balance of the issuing company could not be debited: contact support, then repeat',
    remedy: 'support',
    everywhere: 500,
    merchant: { 'redeem-gift': 4095 },
  },
  'message-not-queued': {
    message: 'The SMS could not be sent: nothing was changed',
    remedy: 'repeat',
    everywhere: 503,
    merchant: { 'initiate-claim': 5003, 'redeem-gift': 5003 },
  },
  'database-failed': {
    message: 'The database could not complete the request: nothing was changed',
    remedy: 'repeat',
    everywhere: 500,
    merchant: { 'initiate-claim': 5004, 'redeem-gift': 5004 },
  },
  'payment-refused': {
    message: 'The transfer to the merchant failed',
    remedy: 'claim-again',
    isFinal: true,
    partner: { 'redeem-gift': 404 },
    merchant: { 'redeem-gift': 5031 },
  },
  'reversal-refused': {
    message: 'The mobile-money provider refused the reversal; the payment stands',
    remedy: 'none',
    isFinal: true,
    merchant: { 'reverse-redemption': 4241 },
  },

  // The service itself.
  'redemption-unknown': {
    message:
      'The result of the redemption is not known yet. Without an Idempotency-Key, a repeated ' +
      'request could redeem the voucher again: check the voucher first',
    remedy: 'none',
    partner: { 'redeem-gift': 409 },
  },
  'still-processing': {
    message: 'Still processing: repeat the same request to get the result',
    remedy: 'repeat',
    everywhere: 409,
    merchant: { 'initiate-claim': 4092, 'redeem-gift': 4092, 'reverse-redemption': 4092 },
  },
  unavailable: {
    message: 'The service cannot process this request right now: repeat it in a moment',
    remedy: 'repeat',
    everywhere: 503,
  },
  'internal-error': {
    message: 'The service failed to process the request',
    remedy: 'repeat',
    everywhere: 500,
  },
} as const satisfies Record<string, ReasonRow>;
