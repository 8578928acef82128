import { createAuthorizedCall } from '../../access-token.ts';
import { readOrLookUp } from '../../doubtful-answer.ts';
import { type ProviderInquiry, type ProviderOutcome, unknown } from '../../outcome.ts';
import type { Airtime } from '../airtime.ts';
import { listTopups, reloadlyStatement, type TopupReport } from './list-topups.ts';
import {
  type OperatorIds,
  type TopupRequest,
  toReloadlyAmount,
  toTopupRequest,
} from './topup-request.ts';
import { judgeToken, readBalance, readFoundOrders, readOrderAnswer } from './transformers.ts';

interface ReloadlySettings {
  /** Up to, not including, `/topups-async`, e.g. https://topups.reloadly.com */
  readonly baseUrl: string;
  readonly token: {
    readonly url: string;
    readonly clientId: string;
    readonly clientSecret: string;
    /** The API that the token is for: the provider's own base address. */
    readonly audience: string;
  };
  readonly operatorIds: OperatorIds;
  /** For a whole order or inquiry, over all its requests. */
  readonly timeoutSeconds: number;
  /** The time after the last sending from which an order that is not listed was never received. */
  readonly settleSeconds: number;
  /** Of the provider's times: an IANA name. */
  readonly zone: string;
}

type Found = ProviderOutcome | { readonly kind: 'not-listed' };

/**
 * Reloadly's airtime (providers.md 3.2b). Orders are asynchronous: the provider answers with its id
 * before it calls the operator, so that a slow operator leaves no order in flight, and an inquiry by
 * our reference finds the outcome. It takes a reference only once, but two requests that are under
 * way together could both be made, and its list may be late: an order that is not listed was never
 * received only when its last sending is long over.
 */
export function createReloadlyAirtime(settings: ReloadlySettings): Airtime {
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const call = createAuthorizedCall({
    tokenRequest: tokenRequestOf(settings.token),
    judgeToken,
  });
  const newDeadline = () => AbortSignal.timeout(settings.timeoutSeconds * 1000);
  const headers = { Accept: 'application/com.reloadly.topups-v1+json' };
  const get = (path: string, deadline: AbortSignal) =>
    call({ method: 'GET', url: `${baseUrl}/${path}`, headers, deadline });

  const report: TopupReport = {
    get: (query) => get(`topups/reports/transactions?${query}`, newDeadline()),
    zone: settings.zone,
  };

  async function find(request: TopupRequest, deadline: AbortSignal): Promise<Found> {
    const query = new URLSearchParams({ customIdentifier: request.customIdentifier });
    const answer = await get(`topups/reports/transactions?${query}`, deadline);
    return answer.kind === 'answered' ? readFoundOrders(answer, request) : unknown(answer.message);
  }

  const isSettled = (lastSentAt: Date | undefined): boolean =>
    lastSentAt !== undefined && Date.now() - lastSentAt.getTime() >= settings.settleSeconds * 1000;

  return {
    repetition: 'later',
    canCarry: (amount) => toReloadlyAmount(amount) !== undefined,
    // Its bundles are operators with fixed amounts, which the catalogue has no ids for.
    canSend: ({ kind }) => kind === 'airtime',

    async send(order): Promise<ProviderOutcome> {
      const request = toTopupRequest(order, settings.operatorIds);
      if ('problem' in request) return { kind: 'not-sent', message: request.problem };
      const deadline = newDeadline();
      const answer = await call({
        method: 'POST',
        url: `${baseUrl}/topups-async`,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
        deadline,
      });
      return readOrLookUp(
        answer,
        (given) => readOrderAnswer(given, request),
        () => find(request, deadline),
      );
    },

    async findOrder(order, lastSentAt): Promise<ProviderInquiry> {
      const request = toTopupRequest(order, settings.operatorIds);
      if ('problem' in request) return unknown(request.problem);
      const found = await find(request, newDeadline());
      if (found.kind !== 'not-listed') return found;
      return isSettled(lastSentAt)
        ? { kind: 'never-seen' }
        : unknown('The provider does not list the top-up, which may still be on its way.');
    },

    listTransactions: (since) => listTopups(report, since),
    listStatement: reloadlyStatement(report),

    async balance() {
      const answer = await get('accounts/balance', newDeadline());
      return answer.kind === 'answered'
        ? readBalance(answer)
        : { kind: 'unknown', message: answer.message };
    },
  };
}

/** OAuth 2 client credentials, in JSON. */
const tokenRequestOf = ({ url, clientId, clientSecret, audience }: ReloadlySettings['token']) => ({
  method: 'POST' as const,
  url,
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  body: JSON.stringify({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
    audience,
  }),
});
