import type { Payment } from '../mobile-money.ts';

/** Who pays, and where results go. */
export interface MpesaAccount {
  /** Our account: the short code that pays. */
  readonly shortCode: string;
  readonly initiator: string;
  /** The `CommandID` of payments. */
  readonly command: string;
  /** Our address for results, with its secret. */
  readonly callbackUrl: string;
}

type Account = MpesaAccount & { readonly credential: string };

const resultUrl = (
  { callbackUrl }: MpesaAccount,
  kind: 'payment' | 'inquiry' | 'timeout',
  reference: string,
) => `${callbackUrl}/${kind}/${reference}`;

/** The body of a B2C payment, of whole birr to a mobile number. */
export const toPaymentRequest = (
  { reference, description }: Payment,
  { amount, payee }: { readonly amount: string; readonly payee: string },
  account: Account,
) => ({
  OriginatorConversationID: reference,
  InitiatorName: account.initiator,
  SecurityCredential: account.credential,
  CommandID: account.command,
  Amount: Number(amount),
  PartyA: account.shortCode,
  PartyB: payee,
  Remarks: description.slice(0, 100),
  QueueTimeOutURL: resultUrl(account, 'timeout', reference),
  ResultURL: resultUrl(account, 'payment', reference),
  Occasion: 'Payout',
});

/** The body of a status query by our reference. */
export const toInquiry = (reference: string, account: Account) => ({
  Initiator: account.initiator,
  SecurityCredential: account.credential,
  CommandID: 'TransactionStatusQuery',
  // The documents name the same field in both ways.
  OriginatorConversationID: reference,
  OriginalConversationID: reference,
  PartyA: account.shortCode,
  IdentifierType: '4',
  Remarks: 'Status of a payment',
  // An inquiry that waits too long is one without an answer.
  QueueTimeOutURL: resultUrl(account, 'inquiry', reference),
  ResultURL: resultUrl(account, 'inquiry', reference),
  Occasion: 'Inquiry',
});
