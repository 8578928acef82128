import { setTimeout as sleep } from 'node:timers/promises';
import type { MpesaPaths } from '../../../domain/mpesa.ts';
import { basicAuthorization, callHttp, createApi, createAuthorizedCall } from '../../http-call.ts';
import { type ProviderOutcome, unknown } from '../../outcome.ts';
import type { MobileMoney, Payment } from '../mobile-money.ts';
import {
  judgeToken,
  type MpesaResults,
  payeeNumber,
  readInquiryAnswer,
  readPaymentAnswer,
  readResults,
  toMpesaAmount,
} from './transformers.ts';

/** Who pays, and where results go. */
interface MpesaAccount {
  /** Our account: the short code that pays. */
  readonly shortCode: string;
  readonly initiator: string;
  /** The initiator's password as M-Pesa's portal encrypts it. */
  readonly credential: string;
  /** Our address for results, with its secret. */
  readonly callbackUrl: string;
}

const resultUrl = (
  { callbackUrl }: MpesaAccount,
  kind: 'payment' | 'inquiry' | 'timeout',
  reference: string,
) => `${callbackUrl}/${kind}/${reference}`;

/** The body of a B2C payment, of whole birr to a mobile number. */
export const toPaymentRequest = (
  { reference, description }: Payment,
  { amount, payee }: { readonly amount: string; readonly payee: string },
  account: MpesaAccount,
) => ({
  OriginatorConversationID: reference,
  InitiatorName: account.initiator,
  SecurityCredential: account.credential,
  CommandID: 'BusinessPayment',
  Amount: Number(amount),
  PartyA: account.shortCode,
  PartyB: payee,
  Remarks: description.slice(0, 100),
  QueueTimeOutURL: resultUrl(account, 'timeout', reference),
  ResultURL: resultUrl(account, 'payment', reference),
  Occasion: 'Payout',
});

/** The body of a status query by our reference. */
export const toInquiry = (reference: string, account: MpesaAccount) => ({
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

interface MpesaSettings extends MpesaAccount, MpesaPaths {
  /** E.g. https://sandbox.safaricom.co.ke */
  readonly baseUrl: string;
  readonly key: string;
  readonly secret: string;
  /** For a whole payment, or an inquiry with the wait for its answer. */
  readonly timeoutSeconds: number;
}

const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;

/**
 * M-Pesa Daraja: B2C payments and status queries. M-Pesa answers only that it has
 * accepted a request; the result arrives by a callback. It pays a repeated request again, so nothing
 * is sent twice, and an inquiry never says that it has not seen a payment. It documents no reversal of
 * B2C payments.
 */
export function createMpesaMobileMoney(
  settings: MpesaSettings,
  results: MpesaResults,
): MobileMoney {
  const tokenRequest = tokenRequestOf(settings);
  const call = createAuthorizedCall({ tokenRequest, judgeToken });
  const { post, newDeadline } = createApi({ ...settings, call });

  async function pay(payment: Payment): Promise<ProviderOutcome> {
    const amount = toMpesaAmount(payment.amount);
    if (amount === undefined || payment.currency !== 'ETB')
      return { kind: 'not-sent', message: 'The provider cannot carry this amount.' };
    const payee = payeeNumber(payment);
    if (payee === undefined) return notAPhone;
    const body = toPaymentRequest(payment, { amount, payee }, settings);
    const answer = await post(settings.paymentPath, body);
    return answer.kind === 'answered' ? readPaymentAnswer(answer) : answer;
  }

  /** The outcome by the answers that have arrived; undefined where there is none. */
  async function readArrived(reference: string): Promise<ProviderOutcome | undefined> {
    const answers = await results.takeAnswers(reference);
    if (answers.length === 0) return undefined;
    return readResults(answers, await results.ofPayment(reference));
  }

  /** Asks, and waits for the answer as long as a call may take. */
  async function findPayment({ reference }: Payment): Promise<ProviderOutcome> {
    // An earlier inquiry may have been answered when no call waited any more.
    const late = await readArrived(reference);
    if (late !== undefined && late.kind !== 'unknown') return late;
    const deadline = newDeadline();
    const body = toInquiry(reference, settings);
    const answer = await post(settings.statusPath, body, { deadline });
    if (answer.kind !== 'answered') return unknown(answer.message);
    const rejected = readInquiryAnswer(answer);
    if (rejected) return rejected;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS)) {
      const found = await readArrived(reference);
      if (found) return found;
      if (deadline.aborted) return late ?? readResults([], undefined);
      await sleep(pauseMs, undefined, { signal: deadline }).catch(() => undefined);
    }
  }

  return {
    repetition: 'never',
    canCarry: (amount) => toMpesaAmount(amount) !== undefined,
    canPayTo: (party) => payeeNumber({ payee: [party] }) !== undefined,
    pay,
    findPayment,
    // Its balance would arrive by a callback.
    async check() {
      const answer = await callHttp({ ...tokenRequest, deadline: newDeadline() });
      if (answer.kind !== 'answered') return answer.message;
      return answer.status === 200 ? undefined : `It gave no access token: HTTP ${answer.status}.`;
    },
  };
}

/** The request for an access token. */
const tokenRequestOf = ({ baseUrl, tokenPath, key, secret }: MpesaSettings) => ({
  method: 'GET' as const,
  url: `${baseUrl}${tokenPath}?grant_type=client_credentials`,
  headers: { Authorization: basicAuthorization(key, secret), Accept: 'application/json' },
});

const notAPhone: ProviderOutcome = {
  kind: 'refused',
  code: 'payee',
  message: 'M-Pesa pays only to mobile numbers.',
  retryCanHelp: false,
};
