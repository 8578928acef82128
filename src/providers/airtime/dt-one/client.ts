import { basicAuthorization } from '../../basic-authorization.ts';
import { readOrLookUp } from '../../doubtful-answer.ts';
import { callHttp } from '../../http-call.ts';
import { unknown } from '../../outcome.ts';
import type { Airtime } from '../airtime.ts';
import { dtOneAccount } from './account.ts';
import { listOrders } from './list-orders.ts';
import {
  type RangedProducts,
  type TransactionRequest,
  toDtOneAmount,
  toTransactionRequest,
} from './transaction-request.ts';
import { readFoundOrders, readOrderAnswer } from './transformers.ts';

interface DtOneSettings {
  /** Up to, not including, `/async/transactions`, e.g. https://dvs-api.dtone.com/v1 */
  readonly baseUrl: string;
  readonly key: string;
  readonly secret: string;
  /** Address for callbacks at the end of a transaction; without it there are none. */
  readonly callbackUrl?: string | undefined;
  readonly rangedProducts: RangedProducts;
  /** For a whole order or inquiry, over all its requests. */
  readonly timeoutSeconds: number;
}

/**
 * DT One DVS v1 (providers.md 3.2). The provider accepts an external id only once, so an order is
 * repeated under the id of the first attempt and cannot happen twice. Orders are asynchronous:
 * unless the answer is final, an inquiry by our reference finds the outcome.
 */
export function createDtOneAirtime(settings: DtOneSettings): Airtime {
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const headers = {
    Authorization: basicAuthorization(settings.key, settings.secret),
    Accept: 'application/json',
  };
  const newDeadline = () => AbortSignal.timeout(settings.timeoutSeconds * 1000);

  const get = (path: string) =>
    callHttp({ method: 'GET', url: `${baseUrl}/${path}`, headers, deadline: newDeadline() });

  async function find(request: TransactionRequest, deadline: AbortSignal) {
    const url = `${baseUrl}/transactions?external_id=${encodeURIComponent(request.external_id)}`;
    const answer = await callHttp({ method: 'GET', url, headers, deadline });
    return answer.kind === 'answered' ? readFoundOrders(answer, request) : unknown(answer.message);
  }

  return {
    repetition: 'safe',
    canCarry: (amount) => toDtOneAmount(amount) !== undefined,
    // The catalogue holds DT One's ids of packages.
    canSend: () => true,

    async send(order) {
      const request = toTransactionRequest(order, settings.rangedProducts, settings.callbackUrl);
      if ('problem' in request) return { kind: 'not-sent', message: request.problem };
      const deadline = newDeadline();
      const answer = await callHttp({
        method: 'POST',
        url: `${baseUrl}/async/transactions`,
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

    async findOrder(order) {
      const request = toTransactionRequest(order, settings.rangedProducts, undefined);
      return 'problem' in request ? unknown(request.problem) : find(request, newDeadline());
    },

    listTransactions: (since) => listOrders(get, since),
    ...dtOneAccount(get),
  };
}
