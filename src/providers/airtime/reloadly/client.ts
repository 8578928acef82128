import { localText, momentOf } from '../../../domain/local-time.ts';
import type { ProviderStatementLine } from '../../../domain/positions/statement-line.ts';
import { internationalDigits } from '../../../domain/providers.ts';
import {
  createApi,
  createAuthorizedCall,
  type HttpResult,
  readOk,
  readOrLookUp,
} from '../../http-call.ts';
import { type ProviderInquiry, type ProviderOutcome, unknown } from '../../outcome.ts';
import {
  type FoundPage,
  notListed,
  type ProviderAccount,
  readBalance,
  type StatementPeriod,
  statementPages,
} from '../../statement.ts';
import { type Airtime, exactNumber } from '../airtime.ts';
import {
  balanceSchema,
  deliveredAmount,
  judgeToken,
  type OperatorIds,
  pageSchema,
  type ReloadlyTopup,
  readFoundOrders,
  readOrderAnswer,
  readStatus,
  statusOfTopup,
  type TopupRequest,
  toTopupRequest,
} from './transformers.ts';

/** Answers are limited in size; a top-up has one kilobyte. */
const PAGE_SIZE = 100;
/** The zone of the provider's times is not documented; a day more on each side finds every one. */
const DAY_MS = 24 * 3_600_000;

/** Our account's report. */
interface TopupReport {
  readonly get: (query: string) => Promise<HttpResult>;
  /** Of its times, which have no offset: an IANA name. */
  readonly zone: string;
}

/** A listed top-up, and when it was made. */
interface Listed {
  readonly topup: ReloadlyTopup;
  readonly at: Date;
}

/**
 * Reads a page of the report of a period, by `GET /topups/reports/transactions` (Reloadly's airtime API); its
 * pages are numbered from 1. The page may have top-ups of other times.
 */
async function readPage(
  { get, zone }: TopupReport,
  { from, to }: StatementPeriod,
  index: number,
): Promise<FoundPage<Listed>> {
  const query = new URLSearchParams({
    startDate: localText(new Date(from.getTime() - DAY_MS), zone),
    endDate: localText(new Date(to.getTime() + DAY_MS), zone),
    page: String(index + 1),
    size: String(PAGE_SIZE),
  });
  const answer = await get(String(query));
  if (answer.kind !== 'answered') return notListed(answer.message);
  const page = readOk(pageSchema, answer);
  const found = page?.content.map((topup) => ({
    topup,
    at: momentOf(topup.transactionDate?.trim() ?? '', zone),
  }));
  if (!found?.every((one): one is Listed => one.at !== undefined))
    return notListed(`HTTP status ${answer.status}, without a readable list.`);
  return { kind: 'page', found };
}

/** The report of a period as a statement. It tells no fees: a discount is in the balance at once. */
const reloadlyStatement =
  (report: TopupReport): NonNullable<ProviderAccount['listStatement']> =>
  (period) =>
    statementPages(
      ({ index }) => readPage(report, period, index),
      (found) => {
        const lines = found.filter(({ at }) => at >= period.from && at < period.to).map(lineOf);
        return lines.every((line) => line !== undefined)
          ? lines
          : 'A top-up of the list has no readable id.';
      },
    );

function lineOf({ topup, at }: Listed): ProviderStatementLine | undefined {
  const providerReference = topup.transactionId ?? topup.operatorTransactionId;
  if (providerReference == null) return undefined;
  return {
    kind: 'top-up',
    reference: topup.customIdentifier ?? null,
    providerReference,
    status: statusOfTopup(topup),
    ...amountOf(topup),
    fee: null,
    feeCurrency: null,
    at,
    party: topup.recipientPhone == null ? null : `+${internationalDigits(topup.recipientPhone)}`,
  };
}

const amountOf = (topup: ReloadlyTopup) => {
  const { amount, currency } = deliveredAmount(topup);
  return { amount: amount?.toString() ?? null, currency };
};

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
 * Reloadly's airtime API. Orders are asynchronous: the provider answers with its id
 * before it calls the mobile operator. So a slow mobile operator leaves no order in flight, and an
 * inquiry by our reference finds the outcome. It takes a reference only once, but two requests that
 * are under way together could both be made, and its list may be late. So an order that is not
 * listed was never received only when its last sending is long over.
 */
export function createReloadlyAirtime(settings: ReloadlySettings): Airtime {
  const { get, post, newDeadline } = createApi({
    ...settings,
    headers: () => ({ Accept: 'application/com.reloadly.topups-v1+json' }),
    call: createAuthorizedCall({ tokenRequest: tokenRequestOf(settings.token), judgeToken }),
  });

  const report: TopupReport = {
    get: (query) => get(`/topups/reports/transactions?${query}`),
    zone: settings.zone,
  };

  /** The report may lack a top-up that the provider has taken: the provider tells its status by its own id. */
  async function find(
    request: TopupRequest,
    deadline: AbortSignal,
    takenAs?: string,
  ): Promise<Found> {
    const query = new URLSearchParams({ customIdentifier: request.customIdentifier });
    const listed = await get(`/topups/reports/transactions?${query}`, deadline);
    if (listed.kind !== 'answered') return unknown(listed.message);
    const found = readFoundOrders(listed, request);
    if (found.kind !== 'not-listed') return found;
    // Our own reference stands for an id that the provider did not tell.
    if (takenAs === undefined || takenAs === request.customIdentifier) return found;
    const told = await get(`/topups/${encodeURIComponent(takenAs)}/status`, deadline);
    return told.kind === 'answered' ? readStatus(told, request, takenAs) : unknown(told.message);
  }

  const isSettled = (lastSentAt: Date | undefined): boolean =>
    lastSentAt !== undefined && Date.now() - lastSentAt.getTime() >= settings.settleSeconds * 1000;

  return {
    repetition: 'later',
    canCarry: (amount) => exactNumber(amount) !== undefined,
    // Its bundles are mobile operators with fixed amounts, which the catalogue has no ids for.
    canSend: ({ kind }) => kind === 'airtime',

    async send(order): Promise<ProviderOutcome> {
      const request = toTopupRequest(order, settings.operatorIds);
      if ('problem' in request) return { kind: 'not-sent', message: request.problem };
      const deadline = newDeadline();
      return readOrLookUp(
        await post('/topups-async', request, { deadline }),
        (given) => readOrderAnswer(given, request),
        () => find(request, deadline),
      );
    },

    async findOrder(order, lastSentAt, takenAs): Promise<ProviderInquiry> {
      const request = toTopupRequest(order, settings.operatorIds);
      if ('problem' in request) return unknown(request.problem);
      const found = await find(request, newDeadline(), takenAs);
      if (found.kind !== 'not-listed') return found;
      return isSettled(lastSentAt)
        ? { kind: 'never-seen' }
        : unknown('The provider does not list the top-up, which may still be on its way.');
    },

    listStatement: reloadlyStatement(report),

    async balance() {
      const answer = await get('/accounts/balance');
      return readBalance(answer, balanceSchema, ({ balance, currencyCode }) => ({
        amount: balance,
        currency: currencyCode,
      }));
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
