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

/** The status codes of a reason, and whether it is final. */
interface Answers {
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

export interface ReasonRow extends Answers {
  readonly remedy: Remedy;
  /** The mistake and the remedy. A reply may append a detail of the case. */
  readonly message: string;
}

/** A number is the statusCode on both surfaces. */
const row = (remedy: Remedy, message: string, answers: Answers | number): ReasonRow => ({
  remedy,
  message,
  ...(typeof answers === 'number' ? { everywhere: answers } : answers),
});

const claims = (code: number): Cells => ({ 'initiate-claim': code, 'redeem-gift': code });

const topups = (code: number): Cells => ({
  'airtime-topup': code,
  'airtime-package-topup': code,
  'retry-topup': code,
});

/**
 * Every reason for which a request can be refused or fail: one row each, with the statusCode that
 * each surface answers per operation (specification 7.2 and 7.3). The order of the rows is
 * the order of the checks.
 */
export const reasons = {
  // The form of the request; the server refuses it before it knows the endpoint.
  'http-malformed': row('correct', 'The request is not valid HTTP', 400),
  'request-too-slow': row('repeat', 'The request took too long to arrive', 408),
  'expectation-unsupported': row(
    'correct',
    'The expectation of the header Expect is not supported',
    417,
  ),
  'headers-too-large': row('correct', 'The request headers are too large or too many', 431),

  // Access and format; these checks precede every business rule.
  'route-not-found': row('correct', 'There is no such endpoint', 404),
  'method-not-allowed': row('correct', 'This endpoint does not support this method', 405),
  'too-many-requests': row('wait', 'Too many requests', 429),
  'api-key-invalid': row('correct', 'The API key is not valid', 401),
  'token-invalid': row(
    'log-in',
    'The access token is missing, expired or not valid: log in again',
    401,
  ),
  'account-suspended': row('support', 'The account is suspended: contact support', 403),
  'address-not-registered': row(
    'correct',
    'Requests are accepted from registered addresses only; this address is not registered',
    403,
  ),
  'scope-missing': row('correct', 'The API key lacks the scope that this call needs', 403),
  'body-too-large': row('correct', 'The request body is too large', 413),
  'media-type-unsupported': row(
    'correct',
    'Send the body as application/json in UTF-8, without content encoding',
    415,
  ),
  'signature-invalid': row('correct', 'The x-signature header does not match the request', 401),
  'request-invalid': row('correct', 'The request is not valid', 400),
  'key-reused': row(
    'correct',
    'This idempotency key was already used for a different request',
    422,
  ),
  'signed-request-reused': row(
    'correct',
    'This signed request or its message was already used for a different request',
    422,
  ),
  'page-not-found': row('correct', 'The list has no such page', {
    partner: { list: 404 },
    merchant: { list: 404 },
  }),
  'cursor-outdated': row(
    'correct',
    'The cursor is from before a restore of the service, or older than the events that are kept: ' +
      'begin without `after`, and skip the ids that you have',
    410,
  ),

  // Generation of vouchers.
  'merchant-unspecified': row(
    'correct',
    'Specify the merchant by merchantId or merchantIdentifier',
    { partner: { 'generate-voucher': 400, quote: 400 } },
  ),
  'product-not-accessible': row('resolve', 'You have no access to this product', {
    partner: { 'generate-voucher': 404, ...topups(404) },
  }),
  'denomination-not-found': row('correct', 'There is no active denomination with this id', {
    partner: { 'generate-voucher': 404, 'set-denomination-price': 404 },
  }),

  'country-not-served': row('correct', 'Messages are not sent to numbers of this country', 400),
  'bulk-order-not-found': row('correct', 'There is no bulk order with this id', {
    partner: { 'show-bulk-order': 404, 'list-bulk-lines': 404, 'cancel-bulk-order': 404 },
  }),
  'generation-unknown': row(
    'none',
    'The result of the generation is not known yet. Without an Idempotency-Key, a repeated ' +
      'request would generate another voucher: check the balance first',
    { partner: { 'generate-voucher': 409 } },
  ),

  // Top-ups of airtime and packages.
  'topup-not-found': row('correct', 'There is no top-up with this transaction id', {
    partner: { 'retry-topup': 404, 'show-topup': 404 },
  }),
  'topup-not-failed': row('none', 'Only a failed top-up can be retried', {
    partner: { 'retry-topup': 409 },
  }),
  'number-erased': row(
    'correct',
    'The phone number of this top-up was erased: retry it with the number in msisdn',
    { partner: { 'retry-topup': 400 } },
  ),
  'number-not-served': row(
    'correct',
    'The service sends no top-ups to the operator of this phone number',
    { partner: topups(400) },
  ),
  'operator-mismatch': row(
    'correct',
    'The package belongs to a different operator than the phone number',
    { partner: { 'airtime-package-topup': 400, 'retry-topup': 400 } },
  ),
  'amount-out-of-range': row(
    'correct',
    'The amount is outside the range that the operator accepts',
    { partner: { 'airtime-topup': 400, 'retry-topup': 400 } },
  ),
  'topup-failed': row('retry', 'The top-up failed and nothing was charged; it can be retried', {
    isFinal: true,
    partner: topups(424),
  }),
  // The same failure, told again when the top-up stands otherwise.
  'topup-delivered-since': row(
    'none',
    'This attempt failed, and the top-up was delivered since: do not retry it',
    { isFinal: true, partner: topups(424) },
  ),
  'topup-retried-since': row('none', 'This attempt failed, and another one is being processed', {
    isFinal: true,
    partner: topups(424),
  }),

  // Claims and redemptions.
  'voucher-not-found': row('correct', 'There is no voucher with this code', {
    partner: claims(404),
    merchant: { ...claims(4041), 'voucher-detail': 4041 },
  }),
  'voucher-id-not-found': row('correct', 'There is no voucher with this id', {
    partner: { 'show-voucher': 404, 'cancel-voucher': 404, 'resend-message': 404 },
  }),
  'voucher-restricted': row(
    'none',
    'The voucher is restricted to its merchant; the merchant cannot be changed',
    { isFinal: true, partner: { 'redeem-gift': 403 }, merchant: { 'redeem-gift': 4031 } },
  ),
  'merchant-not-found': row('correct', 'There is no active merchant with this id or identifier', {
    partner: { 'generate-voucher': 404, ...claims(404), 'set-denomination-price': 404 },
    merchant: { ...claims(4043), 'voucher-detail': 4043, 'reverse-redemption': 4043 },
  }),
  'partner-unavailable': row(
    'repeat',
    'The partner company that issued the voucher is not available',
    { merchant: claims(4045) },
  ),
  'price-not-defined': row(
    'resolve',
    'No price is defined for the product: set a selling price for this denomination first',
    { partner: { 'generate-voucher': 404 } },
  ),
  'money-insufficient': row('resolve', 'Not enough money in the wallet', {
    partner: {
      'generate-voucher': 405,
      'airtime-topup': 400,
      'airtime-package-topup': 405,
      'retry-topup': 405,
    },
  }),
  'daily-limit-reached': row('wait', 'This is more than the daily limit leaves', {
    partner: { 'generate-voucher': 429, ...topups(429) },
  }),
  'voucher-redeemed': row('none', 'The voucher is already redeemed', {
    partner: { ...claims(404), 'cancel-voucher': 404 },
    merchant: { 'initiate-claim': 4042, 'redeem-gift': 4032 },
  }),
  'redemption-in-progress': row(
    'repeat',
    'A redemption of this voucher is in progress: repeat the same request to get its result',
    { partner: claims(409), merchant: claims(4092) },
  ),
  'voucher-being-redeemed': row(
    'repeat',
    'A redemption of this voucher is being paid: repeat the request when it has ended',
    { partner: { 'cancel-voucher': 409 } },
  ),
  'voucher-expired': row('none', 'The expiration date of the voucher has passed', {
    partner: { ...claims(403), 'cancel-voucher': 403 },
    merchant: claims(4036),
  }),
  'claim-not-needed': row(
    'correct',
    'The voucher is anonymous: redeem it without a claim and without a code',
    400,
  ),
  'verification-code-missing': row('correct', 'The verification code is missing', {
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4033 },
  }),
  'claim-not-found': row(
    'correct',
    'The owner has not started a redemption: initiate a claim first',
    { partner: { 'redeem-gift': 403 }, merchant: { 'redeem-gift': 4034 } },
  ),
  'attempts-exhausted': row('wait', 'Too many wrong verification codes for this voucher', 429),
  'verification-code-incorrect': row('correct', 'The verification code is incorrect', {
    isFinal: true,
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4035 },
  }),
  'msisdn-not-owner': row('correct', 'The phone number is not that of the voucher owner: omit it', {
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4035 },
  }),
  'amount-not-claimed': row(
    'correct',
    'The amount differs from the claimed amount: omit it, or claim again',
    400,
  ),
  'service-fee-missing': row(
    'support',
    'The service fee of the merchant could not be read: contact support, then repeat',
    {
      partner: claims(500),
      merchant: { 'initiate-claim': 5001, 'redeem-gift': 5001, 'voucher-detail': 5001 },
    },
  ),
  'balance-insufficient': row('none', 'The voucher balance is insufficient for this redemption', {
    partner: { 'redeem-gift': 403 },
    merchant: { 'redeem-gift': 4044 },
  }),
  'amount-exceeds-balance': row('correct', 'The amount is more than the remaining voucher amount', {
    partner: claims(403),
    merchant: claims(4091),
  }),
  'balance-negative-after-fee': row(
    'correct',
    'The remaining balance does not cover the service fee: claim a smaller amount',
    { partner: { 'redeem-gift': 403 }, merchant: { 'redeem-gift': 4096 } },
  ),
  'amount-too-small': row(
    'correct',
    'The amount is below the minimum of a partial redemption',
    400,
  ),
  'parts-exhausted': row(
    'correct',
    'The voucher reached its limit of partial redemptions: only the whole balance can be redeemed',
    400,
  ),
  'amount-not-payable': row(
    'correct',
    'The mobile-money provider cannot pay this amount exactly',
    400,
  ),
  'payout-account-missing': row(
    'support',
    'The merchant has no payout account: contact support, then repeat',
    { partner: claims(404), merchant: claims(5031) },
  ),
  'nothing-to-resend': row(
    'none',
    'The owner misses no message: no claim is open, and the last confirmation was sent',
    { partner: { 'resend-message': 404 } },
  ),
  'resend-too-soon': row('wait', 'A message was sent to the owner a moment ago', 429),
  'message-too-soon': row('wait', 'A verification code was sent a moment ago', 429),
  'messages-exhausted': row('wait', 'Too many messages were sent to this number today', 429),
  'messages-refused': row(
    'wait',
    'The provider refused too many messages to this number: check the number, then wait',
    429,
  ),

  'company-messages-exhausted': row(
    'wait',
    'Your company has reached its daily message limit: wait, or ask support for a higher limit',
    429,
  ),
  'number-limit-reached': row('wait', 'This phone number has reached its limit of the day', 429),

  // Reversals of redemptions.
  'redemption-not-found': row(
    'correct',
    'There is no redemption with this id that you were paid for',
    { merchant: { 'reverse-redemption': 4046 } },
  ),
  'reversal-in-progress': row(
    'repeat',
    'A reversal of this redemption is in progress: GET /redemptions shows its end',
    { merchant: { 'reverse-redemption': 4097 } },
  ),
  'redemption-reversed': row('none', 'The redemption is already reversed', {
    merchant: { 'reverse-redemption': 4098 },
  }),
  'redemption-not-paid': row('repeat', 'Only a redemption that was paid can be reversed', {
    merchant: { 'reverse-redemption': 4099 },
  }),
  'reversal-not-supported': row('support', 'Redemptions cannot be reversed here: contact support', {
    merchant: { 'reverse-redemption': 4037 },
  }),
  'reversal-too-late': row(
    'none',
    'The time within which a redemption can be reversed has passed: contact support',
    { merchant: { 'reverse-redemption': 4038 } },
  ),

  // Failed writes; the transaction rolled back.
  'status-not-updated': row(
    'repeat',
    'The status of the voucher could not be updated: nothing was changed',
    { everywhere: 500, merchant: claims(5002) },
  ),
  'reserve-not-updated': row(
    'support',
    'The reserved balance could not be updated: contact support, then repeat',
    { everywhere: 500, merchant: { 'redeem-gift': 4093 } },
  ),
  'redemption-not-recorded': row(
    'repeat',
    'The redemption could not be recorded: nothing was changed',
    { everywhere: 500, merchant: { 'redeem-gift': 4094 } },
  ),
  'reserve-not-debited': row(
    'support',
    'The reserved balance of the issuing company could not be debited: contact support, then repeat',
    { everywhere: 500, merchant: { 'redeem-gift': 4095 } },
  ),
  'message-not-queued': row('repeat', 'The SMS could not be sent: nothing was changed', {
    everywhere: 503,
    merchant: claims(5003),
  }),
  'database-failed': row(
    'repeat',
    'The database could not complete the request: nothing was changed',
    { everywhere: 500, merchant: claims(5004) },
  ),
  'payment-refused': row('claim-again', 'The transfer to the merchant failed', {
    isFinal: true,
    partner: { 'redeem-gift': 404 },
    merchant: { 'redeem-gift': 5031 },
  }),
  'reversal-refused': row(
    'none',
    'The mobile-money provider refused the reversal; the payment stands',
    { isFinal: true, merchant: { 'reverse-redemption': 4241 } },
  ),

  // The service itself.
  'redemption-unknown': row(
    'none',
    'The result of the redemption is not known yet. Without an Idempotency-Key, a repeated ' +
      'request could redeem the voucher again: check the voucher first',
    { partner: { 'redeem-gift': 409 } },
  ),
  'still-processing': row('repeat', 'Still processing: repeat the same request to get the result', {
    everywhere: 409,
    merchant: { 'initiate-claim': 4092, 'redeem-gift': 4092, 'reverse-redemption': 4092 },
  }),
  unavailable: row(
    'repeat',
    'The service cannot process this request right now: repeat it in a moment',
    503,
  ),
  'internal-error': row('repeat', 'The service failed to process the request', 500),
};
