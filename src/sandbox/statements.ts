import Router from '@koa/router';
import { z } from 'zod';
import { dayOfTime } from '../domain/day-report.ts';
import type { Books, PaidIn, Payout, PayoutReversal, Topup } from './books.ts';
import { statementFaults } from './faults.ts';
import { problem, readRequest, statusOf, type TakenRequest, type TakenStatus } from './requests.ts';

/** What mobile money charges for a payout, in ETB. */
export const PAYOUT_FEE = '1.00';

/** The payouts and reversals of a provider as its provider statements list them, newest first. */
export const listedPayouts = (books: Books, provider: string): (Payout | PayoutReversal)[] =>
  books.statementFaults.listed<Payout | PayoutReversal>(
    [...books.allPayouts(provider), ...books.allReversals(provider)],
    (taken) => ({ ...taken, transactionReference: `${taken.transactionReference}-2` }),
  );

/** What we paid into our account at the GSMA provider. */
export const listedPaidIn = (books: Books): PaidIn[] =>
  books.paidIn.filter(({ provider }) => provider === 'gsma');

/** The top-ups of a provider as its provider statements list them, newest first. */
export const listedTopups = (books: Books, provider: string): Topup[] =>
  books.statementFaults.listed(books.allTopups(provider), (taken) => ({
    ...taken,
    // Another number of as many digits.
    transactionId: String(Number(taken.transactionId) - 1e15),
  }));

/** A transaction of a provider statement, for all providers. */
interface ListedTransaction {
  readonly kind: 'payment' | 'charge' | 'reversal' | 'top-up' | 'paid-in';
  /** Where the provider tells further ones apart. */
  readonly type?: string;
  readonly id: string;
  /** Of a reversal: the id of its payout. */
  readonly originalId: string;
  readonly fee: string;
  readonly taken: TakenRequest;
}

const topupsOf =
  (provider: string) =>
  (books: Books): ListedTransaction[] =>
    listedTopups(books, provider).map((taken) => ({
      kind: 'top-up',
      id: taken.transactionId,
      originalId: '',
      fee: '',
      taken,
    }));

/** An operation of a provider. */
export const transactionsOf: Readonly<Record<string, (books: Books) => ListedTransaction[]>> = {
  gsma: (books) => [
    ...listedPayouts(books, 'gsma').map(
      (taken): ListedTransaction => ({
        kind: 'original' in taken ? 'reversal' : 'payment',
        id: taken.transactionReference,
        originalId: 'original' in taken ? taken.original.transactionReference : '',
        fee: 'original' in taken ? '' : PAYOUT_FEE,
        taken,
      }),
    ),
    ...listedPaidIn(books).map(
      (taken): ListedTransaction => ({
        kind: 'paid-in',
        type: taken.type,
        id: taken.transactionReference,
        originalId: '',
        fee: '',
        taken,
      }),
    ),
  ],
  // M-Pesa lists what it charges for a payment in a row of its own.
  mpesa: (books) =>
    listedPayouts(books, 'mpesa').flatMap((taken) => {
      const row = { id: taken.transactionReference, originalId: '', fee: PAYOUT_FEE, taken };
      const isCharged = ['completed', 'reversed'].includes(statusOf(taken));
      const payment = { ...row, kind: 'payment' } as const;
      return isCharged ? [payment, { ...row, kind: 'charge' }] : [payment];
    }),
  'dt-one': topupsOf('dt-one'),
  reloadly: topupsOf('reloadly'),
};

type Columns = Readonly<Record<string, (one: ListedTransaction) => string>>;

const typesOfGsma: Partial<Record<ListedTransaction['kind'], string>> = {
  payment: 'disbursement',
  reversal: 'reversal',
};
const feeOf = ({ fee, taken }: ListedTransaction) => (statusOf(taken) === 'failed' ? '' : fee);
const at = ({ taken }: ListedTransaction) => taken.takenAt.toISOString();

/** The words of M-Pesa, in its answers and its statements; those below are of the other providers. */
export const statusesOfMpesa: Readonly<Record<TakenStatus, string>> = {
  pending: 'Pending',
  completed: 'Completed',
  failed: 'Failed',
  reversed: 'Reversed',
};
export const statusesOfDtOne = {
  pending: 'SUBMITTED',
  completed: 'COMPLETED',
  failed: 'DECLINED',
  reversed: 'REVERSED',
} as const satisfies Readonly<Record<TakenStatus, string>>;
/**
 * A top-up that the mobile operator never completed was refunded, too, but has no id of the mobile
 * operator.
 */
export const statusesOfReloadly: Readonly<Record<TakenStatus, string>> = {
  pending: 'PROCESSING',
  completed: 'SUCCESSFUL',
  failed: 'FAILED',
  reversed: 'REFUNDED',
};

/** The columns of the files of each provider (docs/reference/providers.md, "Statements"). */
const fileColumns: Readonly<Record<string, Columns>> = {
  gsma: {
    transactionReference: ({ id }) => id,
    requestingOrganisationTransactionReference: ({ taken }) => taken.reference,
    originalTransactionReference: ({ originalId }) => originalId,
    type: ({ kind, type }) => type ?? typesOfGsma[kind] ?? '',
    transactionStatus: ({ taken }) => statusOf(taken),
    amount: ({ taken }) => taken.amount,
    currency: ({ taken }) => taken.currency,
    feeAmount: feeOf,
    feeCurrency: (one) => (feeOf(one) === '' ? '' : 'ETB'),
    creationDate: at,
  },
  mpesa: {
    'Receipt No.': ({ id }) => id,
    'Completion Time': at,
    Details: ({ kind, taken }) =>
      kind === 'charge' ? 'Business Payment Charge' : `Business Payment to ${taken.to.slice(1)}`,
    'Transaction Status': ({ kind, taken }) =>
      kind === 'charge' ? 'Completed' : statusesOfMpesa[statusOf(taken)],
    Withdrawn: ({ kind, fee, taken }) => (kind === 'charge' ? fee : taken.amount),
    'Other Party Info': ({ taken }) => `${taken.to.slice(1)} - Abebe Kebede`,
    'Originator Conversation ID': ({ kind, taken }) => (kind === 'charge' ? '' : taken.reference),
  },
  'dt-one': {
    id: ({ id }) => id,
    external_id: ({ taken }) => taken.reference,
    status: ({ taken }) => statusesOfDtOne[statusOf(taken)],
    amount: ({ taken }) => taken.amount,
    unit: ({ taken }) => taken.currency,
    creation_date: at,
  },
  reloadly: {
    transactionId: ({ id }) => id,
    customIdentifier: ({ taken }) => taken.reference,
    status: ({ taken }) => statusesOfReloadly[statusOf(taken)],
    deliveredAmount: ({ taken }) => taken.amount,
    deliveredAmountCurrencyCode: ({ taken }) => taken.currency,
    transactionDate: at,
  },
};

const faultSchema = z.strictObject({
  reference: z.string().min(1).max(100),
  fault: z.enum(statementFaults),
});
const balanceSchema = z.strictObject({ amount: z.number().min(0).max(1e12) });
const paidInSchema = z.strictObject({
  amount: z.number().min(0.01).max(1e12),
  type: z.string().min(1).max(40).default('deposit'),
  account: z.strictObject({ key: z.string().min(1), value: z.string().min(1) }).optional(),
});
const zoneSchema = z
  .enum(Intl.supportedValuesOf('timeZone') as [string, ...string[]])
  .or(z.literal('UTC'));

/**
 * Provider statements by day, as files in CSV; faults that a tester puts into them;
 * and our balances at the providers.
 */
export function statementsRouter(books: Books): Router {
  const router = new Router();
  router.get('/statements/faults', (ctx) => {
    ctx.body = books.statementFaults.all();
  });
  router.post('/statements/faults', async (ctx) => {
    const { request: given } = await readRequest(ctx, faultSchema);
    if (!ctx.is('json') || !given)
      return problem(ctx, 400, `Send JSON: reference, and fault: ${statementFaults}.`);
    books.statementFaults.set(given.reference, given.fault);
    ctx.body = books.statementFaults.all();
  });
  router.delete('/statements/faults', (ctx) => {
    books.statementFaults.clear();
    ctx.body = [];
  });

  router.get('/statements/:provider/:file', (ctx) => {
    const { provider = '', file = '' } = ctx.params;
    const [, day] = /^(\d{4}-\d\d-\d\d)\.csv$/.exec(file) ?? [];
    const zone = zoneSchema.safeParse(ctx.query.zone ?? 'UTC').data;
    const list = transactionsOf[provider];
    const cells = fileColumns[provider];
    if (!list || !cells) return problem(ctx, 404, 'The sandbox has no such provider.');
    if (!day || !zone) return problem(ctx, 400, 'Give a day and a time zone.');
    const rows = list(books)
      .filter(({ taken }) => dayOfTime(taken.takenAt, zone) === day)
      .map((one) => Object.values(cells).map((read) => quoted(read(one))));
    ctx.type = 'text/csv';
    ctx.attachment(`${provider}-${file}`);
    ctx.body = [Object.keys(cells), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
  });

  router.put('/balances/:provider', async (ctx) => {
    const { request: given } = await readRequest(ctx, balanceSchema);
    if (!given) return problem(ctx, 400, 'Send JSON: amount.');
    books.setBalance(ctx.params.provider ?? '', given.amount);
    ctx.body = given;
  });
  router.post('/balances/:provider/paid-in', async (ctx) => {
    const { request: given } = await readRequest(ctx, paidInSchema);
    const { provider = '' } = ctx.params;
    if (!given) return problem(ctx, 400, 'Send JSON: amount, and perhaps type and account.');
    const { type, account } = given;
    const paid = books.payIn({ provider, amount: given.amount.toFixed(2), type, account });
    const before = books.balances.get(provider);
    if (before !== undefined) books.setBalance(provider, before + given.amount);
    ctx.body = { reference: paid.transactionReference };
  });
  return router;
}

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
