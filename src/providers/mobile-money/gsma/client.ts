import { callHttp, type HttpCall, type HttpResult } from '../../http-call.js';
import { unknown } from '../../outcome.js';
import type { MobileMoney, Payment } from '../mobile-money.js';
import { createAccessToken, type TokenSettings } from './access-token.js';
import {
  isAboutCredentials,
  readLink,
  readPaymentAnswer,
  readRequestState,
  readTransaction,
  saysNeverSeen,
  toDisbursement,
  toGsmaAmount,
} from './transformers.js';

interface GsmaSettings {
  /** Up to, not including, `/transactions`, e.g. https://provider.example/v1.2/mm */
  readonly baseUrl: string;
  /** Without it requests have no Authorization header. */
  readonly token?: TokenSettings | undefined;
  /** The source account of payouts, as GSMA's `accountid`. */
  readonly account: string;
  /** For a whole payment or inquiry, over all its requests. */
  readonly timeoutSeconds: number;
}

type Found = Awaited<ReturnType<MobileMoney['findPayment']>>;

/**
 * GSMA Mobile Money API 1.2.0 (providers.md 3.1). The provider accepts a correlation id only once,
 * so a payment is repeated with the id of the first attempt and cannot happen twice.
 */
export function createGsmaMobileMoney(settings: GsmaSettings): MobileMoney {
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const call = createCall(settings.token);
  const newDeadline = () => AbortSignal.timeout(settings.timeoutSeconds * 1000);

  const get = (path: string, deadline: AbortSignal) =>
    call({ method: 'GET', url: `${baseUrl}/${path}`, headers: commonHeaders(), deadline });

  async function find(payment: Payment, deadline: AbortSignal): Promise<Found> {
    const answer = await get(`responses/${encodeURIComponent(payment.reference)}`, deadline);
    if (answer.kind !== 'answered') return unknown(answer.message);
    if (saysNeverSeen(answer)) return { kind: 'never-seen' };
    const resource = readLink(answer);
    if (!resource) return unknown(`HTTP status ${answer.status}, without a readable link.`);
    return resource.collection === 'transactions'
      ? findTransaction(resource.id, payment, deadline)
      : findRequestState(resource.id, payment, deadline);
  }

  async function findRequestState(id: string, payment: Payment, deadline: AbortSignal) {
    const answer = await get(`requeststates/${encodeURIComponent(id)}`, deadline);
    if (answer.kind !== 'answered') return unknown(answer.message);
    const state = readRequestState(answer);
    if (state?.kind === 'transaction') return findTransaction(state.reference, payment, deadline);
    if (state === undefined || state.kind === 'look-up') {
      return unknown(`HTTP status ${answer.status}, without a readable request state.`);
    }
    return state;
  }

  async function findTransaction(id: string, payment: Payment, deadline: AbortSignal) {
    const answer = await get(`transactions/${encodeURIComponent(id)}`, deadline);
    return answer.kind === 'answered' ? readTransaction(answer, payment) : unknown(answer.message);
  }

  return {
    canCarry: (amount) => toGsmaAmount(amount) !== undefined,

    async pay(payment) {
      const amount = toGsmaAmount(payment.amount);
      if (amount === undefined) {
        return { kind: 'not-sent', message: 'The provider cannot carry this amount.' };
      }
      const deadline = newDeadline();
      const now = new Date();
      const answer = await call({
        method: 'POST',
        url: `${baseUrl}/transactions/type/disbursement`,
        headers: paymentHeaders(payment, now),
        body: JSON.stringify(toDisbursement(payment, amount, settings.account, now)),
        deadline,
      });
      if (answer.kind !== 'answered') return answer;
      const outcome = readPaymentAnswer(answer, payment);
      if (outcome.kind !== 'look-up') return outcome;
      const found = await find(payment, deadline);
      return found.kind === 'never-seen'
        ? unknown('The provider calls the payment a duplicate of one that it does not know.')
        : found;
    },

    findPayment: (payment) => find(payment, newDeadline()),
  };
}

/** Sends with an access token, and once more with a new one if the first is rejected. */
function createCall(settings: TokenSettings | undefined) {
  if (!settings) return callHttp;
  const accessToken = createAccessToken(settings);
  return async (request: HttpCall): Promise<HttpResult> => {
    const first = await accessToken.read(request.deadline);
    if (first.kind === 'not-sent') return first;
    const answer = await callHttp(withToken(request, first.token));
    if (answer.kind !== 'answered' || !isAboutCredentials(answer)) return answer;
    accessToken.forget(first.token);
    const second = await accessToken.read(request.deadline);
    return second.kind === 'not-sent' ? second : callHttp(withToken(request, second.token));
  };
}

const commonHeaders = () => ({
  Accept: 'application/json',
  'Accept-Charset': 'utf-8',
  'X-Date': new Date().toISOString(),
});

const paymentHeaders = (payment: Payment, now: Date) => ({
  ...commonHeaders(),
  'Content-Type': 'application/json',
  'X-CorrelationID': payment.reference,
  'X-Date': now.toISOString(),
});

const withToken = (request: HttpCall, token: string): HttpCall => ({
  ...request,
  headers: { ...request.headers, Authorization: `Bearer ${token}` },
});
