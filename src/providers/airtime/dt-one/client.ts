import { z } from 'zod';
import type { ProviderStatementLine } from '../../../domain/positions/statement-line.ts';
import {
  type ApiGet,
  basicAuthorization,
  createApi,
  looseNumber,
  readOrLookUp,
} from '../../http-call.ts';
import { unknown } from '../../outcome.ts';
import {
  type FoundPage,
  type ProviderAccount,
  readBalance,
  readFoundPage,
  statementPages,
} from '../../statement.ts';
import { type Airtime, exactNumber } from '../airtime.ts';
import {
  type RangedProducts,
  readFoundOrders,
  readOrderAnswer,
  statusOfClass,
  type TransactionRequest,
  toTransactionRequest,
  transactionSchema,
} from './transformers.ts';

/** Answers are limited in size; a transaction has two kilobytes. */
const PAGE_SIZE = 50;
/** The longest time that one list may span. A day on which the clocks change is longer. */
const WINDOW_MS = 24 * 3_600_000;

/** A time that one list may span, in milliseconds since 1970: both ends belong to it. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/** From a moment, up to but not including the end. */
function* windowsOf(from: Date, to: Date): Generator<Window> {
  for (let begin = from.getTime(); begin < to.getTime(); begin += WINDOW_MS)
    yield { from: begin, to: Math.min(begin + WINDOW_MS, to.getTime()) - 1 };
}

/** Reads a page of our transactions, by `GET /transactions` (DVS v1); pages begin at 1. */
async function readTransactionsPage(
  get: ApiGet,
  { from, to }: Window,
  index: number,
): Promise<FoundPage<Listed>> {
  const query = new URLSearchParams({
    from_date: new Date(from).toISOString(),
    to_date: new Date(to).toISOString(),
    page: String(index + 1),
    per_page: String(PAGE_SIZE),
  });
  return readFoundPage(await get(`/transactions?${query}`), listSchema);
}

const listSchema = z.array(
  transactionSchema.extend({
    creation_date: z.coerce.date(),
    prices: z
      .object({
        wholesale: z
          .object({ unit: z.string(), fee: looseNumber.pipe(z.number().min(0)).nullish() })
          .nullish(),
      })
      .nullish()
      .catch(undefined),
  }),
);
type Listed = z.infer<typeof listSchema>[number];

const balancesSchema = z
  .array(
    z.object({
      unit_type: z.string().transform((text) => text.toUpperCase()),
      unit: z.string(),
      available: looseNumber,
    }),
  )
  .min(1);

/** What the provider says of our account (DVS v1): its transactions, and its balance. */
const dtOneAccount = (
  get: ApiGet,
): Required<Pick<ProviderAccount, 'listStatement' | 'balance'>> => ({
  async *listStatement({ from, to }) {
    for (const window of windowsOf(from, to))
      yield* statementPages(({ index }) => readTransactionsPage(get, window, index), linesOf);
  },
  async balance() {
    return readBalance(await get('/balances'), balancesSchema, (found) => {
      const money = found.find(({ unit_type }) => unit_type === 'CURRENCY');
      return { amount: money?.available, currency: money?.unit };
    });
  },
});

function linesOf(found: readonly Listed[]): ProviderStatementLine[] | string {
  const lines = found.map(lineOf);
  return lines.every((line) => line !== undefined)
    ? lines
    : 'A transaction of the list has no readable id.';
}

function lineOf(found: Listed): ProviderStatementLine | undefined {
  const providerReference = found.id ?? found.operator_reference;
  if (!providerReference) return undefined;
  const destination = found.requested_values?.destination;
  const { unit, fee } = found.prices?.wholesale ?? {};
  return {
    kind: 'top-up',
    reference: found.external_id ?? null,
    providerReference,
    status: statusOfClass(found.status.class),
    amount: destination ? plain(destination.amount) : null,
    currency: destination?.unit ?? null,
    fee: fee ? plain(fee) : null,
    feeCurrency: fee ? (unit ?? null) : null,
    at: found.creation_date,
    party: found.credit_party_identifier?.mobile_number ?? null,
    productId: found.product?.id ?? null,
  };
}

/** Without an exponent. */
const plain = (amount: number): string =>
  /e/.test(String(amount)) ? amount.toFixed(10) : String(amount);

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
 * DT One DVS v1. The provider accepts an external id only once, so an order is
 * repeated under the id of the first attempt and cannot happen twice. Orders are asynchronous:
 * unless the answer is final, an inquiry by our reference finds the outcome.
 */
export function createDtOneAirtime(settings: DtOneSettings): Airtime {
  const Authorization = basicAuthorization(settings.key, settings.secret);
  const headers = () => ({ Authorization, Accept: 'application/json' });
  const { get, post, newDeadline } = createApi({ ...settings, headers });

  async function find(request: TransactionRequest, deadline: AbortSignal) {
    const id = encodeURIComponent(request.external_id);
    const answer = await get(`/transactions?external_id=${id}`, deadline);
    return answer.kind === 'answered' ? readFoundOrders(answer, request) : unknown(answer.message);
  }

  return {
    repetition: 'safe',
    canCarry: (amount) => exactNumber(amount) !== undefined,
    // The catalogue holds DT One's ids of packages.
    canSend: () => true,

    async send(order) {
      const request = toTransactionRequest(order, settings.rangedProducts, settings.callbackUrl);
      if ('problem' in request) return { kind: 'not-sent', message: request.problem };
      const deadline = newDeadline();
      return readOrLookUp(
        await post('/async/transactions', request, { deadline }),
        (given) => readOrderAnswer(given, request),
        () => find(request, deadline),
      );
    },

    async findOrder(order) {
      const request = toTransactionRequest(order, settings.rangedProducts, undefined);
      return 'problem' in request ? unknown(request.problem) : find(request, newDeadline());
    },

    ...dtOneAccount(get),
  };
}
