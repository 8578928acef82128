/** The paths of M-Pesa Daraja below its base address. */
export interface MpesaPaths {
  readonly tokenPath: string;
  readonly paymentPath: string;
  readonly statusPath: string;
}

/**
 * Kenya's are those of the documents (Daraja). Safaricom Ethiopia documents none in public: these
 * are those that public programs for `api.safaricom.et` use.
 */
const mpesaPaths: Readonly<Record<'kenya' | 'ethiopia', MpesaPaths>> = {
  kenya: {
    tokenPath: '/oauth/v1/generate',
    paymentPath: '/mpesa/b2c/v3/paymentrequest',
    statusPath: '/mpesa/transactionstatus/v1/query',
  },
  ethiopia: {
    tokenPath: '/v1/token/generate',
    paymentPath: '/mpesa/b2c/v2/paymentrequest',
    statusPath: '/mpesa/transactionstatus/v1/query',
  },
};

/** The paths at a base address. */
export const mpesaPathsAt = (baseUrl: string): MpesaPaths =>
  new URL(baseUrl).hostname.endsWith('.et') ? mpesaPaths.ethiopia : mpesaPaths.kenya;

type MpesaStatus = 'completed' | 'failed' | 'reversed';

/** The words of M-Pesa for the status of a payment (Daraja); others are unknown. */
const meanings: ReadonlyMap<string, MpesaStatus> = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['declined', 'failed'],
  ['cancelled', 'failed'],
  ['rejected', 'failed'],
  ['expired', 'failed'],
  ['reversed', 'reversed'],
]);

/** The meaning of a status; undefined where it is not final, or not known to us. */
export const mpesaStatusOf = (status: string | null | undefined): MpesaStatus | undefined =>
  meanings.get(status?.trim().toLowerCase() ?? '');

/** The content of a callback of M-Pesa: of the payment itself, or as the answer to an inquiry. */
export interface MpesaResult {
  readonly resultCode: string;
  readonly description: string;
  /** Of an inquiry's answer: the status of the payment. */
  readonly transactionStatus: string | null;
  readonly receipt: string | null;
  /** The part in which the answer of the provider differs from our payment. Of an amount: it is unreadable. */
  readonly difference: 'reference' | 'amount' | 'payee' | null;
  /** Decimal string: the amount of the provider, if nothing but the amount differs. */
  readonly otherAmount: string | null;
}
