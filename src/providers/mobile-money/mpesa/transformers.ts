import { z } from 'zod';
import { type MpesaResult, mpesaStatusOf } from '../../../domain/mpesa.ts';
import { presentableMessage } from '../../../domain/providers.ts';
import {
  type HttpAnswer,
  looseText,
  readJson,
  readOk,
  type TokenVerdict,
  tooManyRequests,
} from '../../http-call.ts';
import {
  credentialsRefused,
  disagreement,
  endOf,
  exactAmount,
  isReversed,
  ofAnotherAmount,
  otherField,
  type ProviderOutcome,
  reversed,
  unknown,
} from '../../outcome.ts';
import type { Payment } from '../mobile-money.ts';

/** The answer to a payment or an inquiry: code 0 means accepted, and nothing more. */
const acceptanceSchema = z.object({
  ResponseCode: looseText,
  ResponseDescription: z.string().catch(''),
});

/** The error object of the gateway, e.g. 400.002.02. */
const gatewayErrorSchema = z.object({
  errorCode: looseText,
  errorMessage: z.string().catch(''),
});

/** A callback of M-Pesa about a payment, without an inquiry. */
export interface ToldResult extends MpesaResult {
  /** Our books have known otherwise since, such as from an inquiry or a statement. */
  readonly isOverruled: boolean;
}

/** The results of M-Pesa, which arrive by callbacks only. */
export interface MpesaResults {
  ofPayment(reference: string): Promise<ToldResult | undefined>;
  /** The unused answers to our inquiries, newest first; takes them. */
  takeAnswers(reference: string): Promise<readonly MpesaResult[]>;
}

/**
 * Result codes that M-Pesa documents as a failure of a payment (Daraja), and whether a later
 * payment may succeed. Every other code but 0 leaves the outcome open.
 */
const failures: Readonly<Record<string, { readonly retryCanHelp: boolean }>> = {
  1: { retryCanHelp: true }, // The balance is insufficient.
  2: { retryCanHelp: false }, // Below the least amount.
  3: { retryCanHelp: false }, // Above the largest amount.
  4: { retryCanHelp: true }, // Would exceed a daily limit.
  8: { retryCanHelp: true }, // Would exceed the payee's largest balance.
  11: { retryCanHelp: true }, // Our account is not active.
  21: { retryCanHelp: true }, // The initiator may not do this.
  2001: { retryCanHelp: true }, // The initiator's credentials are invalid.
  2006: { retryCanHelp: false }, // The account's status does not allow it.
  2028: { retryCanHelp: false }, // Our short code may not do this.
  2040: { retryCanHelp: false }, // The payee is not registered.
  8006: { retryCanHelp: true }, // The security credential is locked.
  SFC_IC0003: { retryCanHelp: false }, // The payee does not exist.
};

/** The gateway rejected the access token, and read nothing else. */
const tokenErrors: readonly string[] = [
  '400.003.01',
  '401.002.01',
  '401.003.01',
  '404.001.03',
  '404.001.04',
];
/** The gateway's limits of requests: it passes none on. */
const limitErrors: readonly string[] = ['500.003.02', '500.003.03'];

/** Whole birr, or undefined where the amount has cents. */
export const toMpesaAmount = (amount: string): string | undefined =>
  exactAmount(amount, { wholeDigits: 9, decimals: 0 })?.replace(/\.00$/, '');

/** The payee's number without its plus sign; undefined where the payee is an account of another kind. */
export const payeeNumber = ({ payee }: Pick<Payment, 'payee'>): string | undefined => {
  const number = payee.find(({ key }) => key.toLowerCase() === 'msisdn')?.value.replace(/^\+/, '');
  return number !== undefined && /^\d{9,15}$/.test(number) ? number : undefined;
};

/** A 401 that is not an error of M-Pesa's gateway proves nothing: M-Pesa may have paid. */
export function judgeToken(answer: HttpAnswer): TokenVerdict {
  const code = errorCodeOf(answer);
  if (code === undefined) return answer.status === 401 ? 'doubtful' : 'accepted';
  return tokenErrors.includes(code) ? 'rejected' : 'accepted';
}

const errorCodeOf = (answer: HttpAnswer): string | undefined =>
  answer.status >= 400 ? readJson(gatewayErrorSchema, answer.body)?.errorCode : undefined;

/** Maps the answer to a payment. Acceptance says nothing about its outcome. */
export function readPaymentAnswer(answer: HttpAnswer): ProviderOutcome {
  if (answer.status === 429) return tooManyRequests(answer);
  if (judgeToken(answer) === 'rejected') return credentialsRefused;
  if (answer.status === 200) {
    const accepted = readJson(acceptanceSchema, answer.body);
    if (accepted === undefined) return unknown('HTTP status 200, without a readable answer.');
    return accepted.ResponseCode === '0'
      ? unknown('The provider has accepted the payment.')
      : readFailure(accepted.ResponseCode, accepted.ResponseDescription);
  }
  const error = readJson(gatewayErrorSchema, answer.body);
  if (error && limitErrors.includes(error.errorCode)) return tooManyRequests(answer);
  // The gateway checks the request before M-Pesa sees it.
  if (error && answer.status === 400 && error.errorCode.startsWith('400.')) {
    return refused(error.errorCode, error.errorMessage, { retryCanHelp: false });
  }
  return unknown(
    `HTTP status ${answer.status}${error ? `, ${presentableCode(error.errorCode)}` : ''}.`,
  );
}

/** Undefined where an inquiry was accepted: its answer arrives by a callback. */
export function readInquiryAnswer(answer: HttpAnswer): ProviderOutcome | undefined {
  const accepted = readOk(acceptanceSchema, answer);
  if (accepted?.ResponseCode === '0') return undefined;
  return unknown(`The inquiry was not accepted: HTTP status ${answer.status}.`);
}

/**
 * The outcome by the answers to inquiries, and by what M-Pesa told about the payment itself, which
 * counts once it was asked. A payment is never called unseen: nothing is sent again.
 */
export function readResults(
  answers: readonly MpesaResult[],
  told: ToldResult | undefined,
): ProviderOutcome {
  const outcomes = answers.map((answer) => readResult(answer, told));
  // A reversal is the last word, in whatever order the answers arrived.
  const takenBack = outcomes.find(isReversed);
  const decided = outcomes.find((one) => endOf(one) !== undefined);
  const [newest = unknown('The provider has not answered the inquiry yet.')] = outcomes;
  return takenBack ?? decided ?? newest;
}

function readResult(answer: MpesaResult, told: ToldResult | undefined): ProviderOutcome {
  if (answer.difference !== null) return otherField('payment', answer.difference);
  const outcome = readAnswer(answer, told);
  return answer.otherAmount === null
    ? outcome
    : ofAnotherAmount(outcome, answer.otherAmount, 'payment', answer.receipt);
}

function readAnswer(answer: MpesaResult, told: ToldResult | undefined): ProviderOutcome {
  if (answer.resultCode !== '0') {
    // An old callback does not take back what was learnt later, such as a reversal.
    return told === undefined || told.isOverruled
      ? unknown(`The provider answers the inquiry with code ${presentableCode(answer.resultCode)}.`)
      : readTold(told);
  }
  const status = mpesaStatusOf(answer.transactionStatus);
  if (status === 'failed') {
    return told?.resultCode === '0'
      ? disagreement('The provider told of a success, and now says that the payment failed.')
      : refused(
          told?.resultCode ?? (answer.transactionStatus ?? '').trim().toLowerCase(),
          told?.description ?? 'The mobile-money provider says that the payment failed.',
          failures[told?.resultCode ?? ''] ?? { retryCanHelp: true },
        );
  }
  if (status === undefined) {
    const word = presentableMessage(answer.transactionStatus?.trim().toLowerCase() || 'missing');
    return unknown(`The status of the payment is ${word}.`);
  }
  const providerReference = answer.receipt ?? told?.receipt;
  if (providerReference == null) return unknown('The provider names no receipt.');
  return status === 'reversed'
    ? reversed('payment', providerReference)
    : { kind: 'delivered', providerReference };
}

/** A callback of M-Pesa about the payment itself. */
function readTold({
  resultCode,
  description,
  receipt,
  difference,
  otherAmount,
}: MpesaResult): ProviderOutcome {
  if (difference !== null) return otherField('payment', difference);
  if (resultCode !== '0') return readFailure(resultCode, description);
  if (receipt === null) return unknown('The provider names no receipt.');
  const outcome = { kind: 'delivered', providerReference: receipt } as const;
  return otherAmount === null ? outcome : ofAnotherAmount(outcome, otherAmount, 'payment', receipt);
}

function readFailure(code: string, words: string): ProviderOutcome {
  const failure = failures[code];
  return failure
    ? refused(code, words, failure)
    : unknown(`The provider answers with code ${presentableCode(code)}.`);
}

const refused = (
  code: string,
  words: string,
  { retryCanHelp }: { readonly retryCanHelp: boolean },
): ProviderOutcome => ({
  kind: 'refused',
  code: presentableCode(code),
  message: presentableMessage(words) || presentableCode(code),
  retryCanHelp,
});

/** The codes of the gateway look like numbers of phones. */
const presentableCode = (code: string): string =>
  /^(\d{3}\.\d{3}(\.\d{2,4})?|[A-Z_]{0,8}\d{1,6})$/.test(code) ? code : presentableMessage(code);
