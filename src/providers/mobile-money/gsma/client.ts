import { LRUCache } from 'lru-cache';
import {
  type ApiGet,
  basicAuthorization,
  callHttp,
  createApi,
  createAuthorizedCall,
  type HttpAnswer,
  type HttpCall,
  type HttpResult,
  readJson,
  readOrLookUp,
} from '../../http-call.ts';
import { type ProviderOutcome, takenUnder, unknown } from '../../outcome.ts';
import type { MobileMoney, PaymentReversals } from '../mobile-money.ts';
import { gsmaAccount, gsmaPayeeAccount } from './account.ts';
import {
  type ExpectedTransaction,
  expectedReversal,
  judgeToken,
  readLink,
  readPaymentAnswer,
  readRequestState,
  readReversal,
  readTransaction,
  requestStateSchema,
  saysNeverSeen,
  toDisbursement,
  toGsmaAmount,
  toReversal,
} from './transformers.ts';

/** Request states that are asked about; an older one is forgotten, and counts from the beginning. */
const MAXIMUM_STATES = 10_000;

const HOUR_MS = 3_600_000;

/** How often this process may still ask for each request state (GSMA Mobile Money API, `pollLimit`). */
function createPollLimits() {
  const states = new LRUCache<string, { polls: number; limit: number; polledAt: number }>({
    max: MAXIMUM_STATES,
  });
  const stateOf = (id: string) =>
    states.get(id) ?? { polls: 0, limit: Number.POSITIVE_INFINITY, polledAt: 0 };
  return {
    /**
     * Counts a poll; false where the provider allows no further one. One an hour is made beyond the limit, because
     * nothing else tells that a request has failed.
     */
    take(id: string): boolean {
      const { polls, limit, polledAt } = stateOf(id);
      const now = Date.now();
      if (polls >= limit && now - polledAt < HOUR_MS) return false;
      states.set(id, { polls: polls + 1, limit, polledAt: now });
      return true;
    },
    /** Notes the limit that an answer names. */
    note(id: string, { body }: HttpAnswer): void {
      const limit = readJson(requestStateSchema, body)?.polllimit;
      if (limit != null) states.set(id, { ...stateOf(id), limit });
    },
  };
}

interface TokenSettings {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
}

interface GsmaSettings {
  /** Up to, not including, `/transactions`, e.g. https://provider.example/v1.2/mm */
  readonly baseUrl: string;
  readonly token?: TokenSettings | undefined;
  /** For HTTP Basic, where there are no tokens; without it requests have no Authorization header. */
  readonly basic?: { readonly key: string; readonly secret: string } | undefined;
  /** Sent with every call: who we are, and whose accounts they are (GSMA Mobile Money API). */
  readonly clientHeaders?: Readonly<Record<string, string>> | undefined;
  /** Where the provider tells the outcome of a payment. */
  readonly callbackUrl?: string | undefined;
  /** The source account of payouts, as GSMA's `accountid`. */
  readonly account: string;
  /** Other identifiers by which the provider names it in its lists. */
  readonly accountAliases?: readonly string[];
  /** Whether the holder of a payout account is asked for; the provider may not offer it. */
  readonly checksAccounts?: boolean | undefined;
  /** For a whole payment or inquiry, over all its requests. */
  readonly timeoutSeconds: number;
}

type Found = Awaited<ReturnType<MobileMoney['findPayment']>>;

/**
 * GSMA Mobile Money API 1.2.0. The provider accepts a correlation id only once,
 * so a payment is repeated with the id of the first attempt and cannot happen twice.
 */
export function createGsmaMobileMoney(settings: GsmaSettings): MobileMoney {
  const api = createApi({
    ...settings,
    call: createCall(settings),
    headers: () => ({ ...commonHeaders(), ...settings.clientHeaders }),
  });
  const { get, newDeadline } = api;
  const find = createInquiry(get);

  /** Posts a transaction under our reference, and looks a duplicate up. */
  async function post(
    path: string,
    ours: ExpectedTransaction,
    bodyOf: (amount: string, now: Date) => object,
  ): Promise<ProviderOutcome> {
    const amount = toGsmaAmount(ours.amount);
    if (amount === undefined) {
      return { kind: 'not-sent', message: 'The provider cannot carry this amount.' };
    }
    const deadline = newDeadline();
    const now = new Date();
    const headers = {
      'X-CorrelationID': ours.reference,
      'X-Date': now.toISOString(),
      ...settings.clientHeaders,
      ...(settings.callbackUrl !== undefined && { 'X-Callback-URL': settings.callbackUrl }),
    };
    return readOrLookUp(
      await api.post(path, bodyOf(amount, now), { deadline, headers }),
      (given) => readPaymentAnswer(given, ours),
      () => find(ours, deadline),
    );
  }

  const reversals: PaymentReversals = {
    reverse: async (reversal) => {
      const path = `/transactions/${encodeURIComponent(reversal.paymentReference)}/reversals`;
      const outcome = await post(path, expectedReversal(reversal), (amount, now) =>
        toReversal(reversal, amount, now),
      );
      return readReversal(outcome);
    },
    findReversal: async (reversal, takenAs) => {
      const found = await find(expectedReversal(reversal), newDeadline(), takenAs);
      return found.kind === 'never-seen' ? found : readReversal(found);
    },
  };

  return {
    repetition: 'safe',
    canCarry: (amount) => toGsmaAmount(amount) !== undefined,
    pay: (payment) =>
      post('/transactions/type/disbursement', payment, (amount, now) =>
        toDisbursement(payment, amount, settings.account, now),
      ),
    findPayment: (payment, takenAs) => find(payment, newDeadline(), takenAs),
    reversals,
    ...(settings.checksAccounts !== false && {
      // A caller waits for it and for the payment.
      checkAccount: gsmaPayeeAccount(get, settings.timeoutSeconds / 2),
    }),
    ...gsmaAccount(get, settings),
  };
}

/**
 * Finds a transaction by our reference, and compares it with what it must contain. `/responses` knows only resources
 * that were created: a request that is under way, or has failed, has a request state alone.
 */
function createInquiry(get: ApiGet) {
  const limits = createPollLimits();

  async function find(
    ours: ExpectedTransaction,
    deadline: AbortSignal,
    takenAs?: string,
  ): Promise<Found> {
    const answer = await get(`/responses/${encodeURIComponent(ours.reference)}`, deadline);
    if (answer.kind !== 'answered') return unknown(answer.message);
    const resource = readLink(answer);
    if (!resource) {
      if (takenAs !== undefined) return findRequestState(takenAs, ours, deadline);
      return saysNeverSeen(answer)
        ? { kind: 'never-seen' }
        : unknown(`HTTP status ${answer.status}, without a readable link.`);
    }
    const { collection, id } = resource;
    const found = await (collection === 'transactions'
      ? findTransaction(id, ours, deadline)
      : findRequestState(id, ours, deadline));
    // The link itself tells that the payment was taken.
    return found.kind === 'unknown' ? { ...takenUnder(id), ...found } : found;
  }

  async function findRequestState(id: string, ours: ExpectedTransaction, deadline: AbortSignal) {
    // The transaction that `/responses` names once it is made, or the next poll, still decides.
    if (!limits.take(id))
      return unknown('The provider allows no further inquiry about its request.');
    const answer = await get(`/requeststates/${encodeURIComponent(id)}`, deadline);
    if (answer.kind !== 'answered') return unknown(answer.message);
    limits.note(id, answer);
    // The provider may have named the transaction that it works on in place of the request. But another transaction may
    // have the id of our request: only a transaction that names our reference is ours.
    if (answer.status === 404) return findTransaction(id, ours, deadline, true);
    const state = readRequestState(answer, id);
    if (state?.kind === 'transaction') return findTransaction(state.reference, ours, deadline);
    if (state === undefined || state.kind === 'look-up') {
      return unknown(`HTTP status ${answer.status}, without a readable request state.`);
    }
    return state;
  }

  async function findTransaction(
    id: string,
    ours: ExpectedTransaction,
    deadline: AbortSignal,
    isNamed = false,
  ) {
    const answer = await get(`/transactions/${encodeURIComponent(id)}`, deadline);
    return answer.kind === 'answered'
      ? readTransaction(answer, ours, isNamed)
      : unknown(answer.message);
  }

  return find;
}

/** OAuth 2 client credentials (GSMA Mobile Money API), HTTP Basic, or no authorization. */
function createCall({ token, basic, clientHeaders }: GsmaSettings) {
  if (token)
    return createAuthorizedCall({
      tokenRequest: {
        method: 'POST',
        url: token.url,
        headers: {
          Authorization: basicAuthorization(token.key, token.secret),
          Accept: 'application/json',
          'Content-Type': 'application/x-www-form-urlencoded',
          ...clientHeaders,
        },
        body: 'grant_type=client_credentials',
      },
      judgeToken,
    });
  if (!basic) return callHttp;
  const Authorization = basicAuthorization(basic.key, basic.secret);
  return (request: HttpCall): Promise<HttpResult> =>
    callHttp({ ...request, headers: { ...request.headers, Authorization } });
}

const commonHeaders = () => ({
  Accept: 'application/json',
  'Accept-Charset': 'utf-8',
  'X-Date': new Date().toISOString(),
});
