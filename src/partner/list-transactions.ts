import { z } from 'zod';
import {
  readWalletTransactions,
  type TransactionPosition,
  type Wallet,
  type WalletsQuery,
  type WalletTransaction,
  wallets,
} from '../db/ledger/account-statements.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import {
  explainLine,
  type TransactionKind,
  transactionKindOf,
  transactionKinds,
} from '../domain/statements.ts';
import type { Caller } from '../domain/vouchers/voucher.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { textAnswer, timeAnswer } from '../http/fields/answer-fields.ts';
import { numberParameter, timeParameter } from '../http/fields/request-fields.ts';
import { type CsvBatch, csvReply } from '../http/lists/list-endpoint.ts';
import type { Services } from '../http/services.ts';

/** What a cursor looks like. */
const CURSOR_PATTERN = `^([1-8][0-9]{15}|[0-9]{1,15})-([0-9]{1,15})-(${wallets.join('|')})$`;
const ERROR = 'must be a cursor, as `next` of an answer';

/** A place among transactions as a text, which callers send as it came. */
const encodeTransactionCursor = ({ micros, id, wallet }: TransactionPosition): string =>
  `${micros}-${id}-${wallet}`;

/** A cursor of an earlier answer; validation yields the place. */
const transactionCursor = z
  .string(ERROR)
  .regex(new RegExp(CURSOR_PATTERN), ERROR)
  .transform((text): TransactionPosition => {
    const [micros, id, wallet] = text.split('-');
    return {
      micros: Number(micros),
      id: Number(id),
      wallet: wallet as TransactionPosition['wallet'],
    };
  })
  .meta({ pattern: CURSOR_PATTERN });

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;
/** The most transactions that one query reads, also where it looks for kinds. */
const BATCH = 1_000;

const kinds = Object.keys(transactionKinds) as TransactionKind[];
const walletField = z
  .enum(wallets as readonly [Wallet, ...Wallet[]], 'must be a wallet')
  .meta({ title: 'Wallet' });
const kindField = z
  .enum(kinds as [TransactionKind, ...TransactionKind[]], 'must be a kind')
  .meta({ title: 'TransactionKind' });
const repeatable = <Value extends z.ZodType>(value: Value, description: string, example: string) =>
  z
    .union([value, z.array(value).max(20)], { error: 'must be one or several of the known words' })
    .optional()
    .meta({ description: `${description}; repeatable`, examples: [example] });

const nullable = (id: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `Identifier of the ${id}; null without one`, examples: [17] });

const transactionSchema = z
  .object({
    id: textAnswer('Identifier; one transfer between two wallets is two transactions', 'gift-4711'),
    createdAt: timeAnswer('When it was booked'),
    wallet: walletField.meta({
      description:
        'gift pays vouchers, airtime pays top-ups, reserved is the value of unused vouchers',
      examples: ['gift'],
    }),
    kind: kindField.meta({ description: 'What it is for', examples: ['voucher-generated'] }),
    amount: z.string().meta({
      description: 'Change of the wallet; negative where money left it; 6 fraction digits',
      examples: ['-500.000000'],
      pattern: '^-?[0-9]+[.][0-9]{6}$',
    }),
    currency: z.literal('ETB').meta({ description: 'Currency of the amount' }),
    description: textAnswer('The same in words', 'Voucher 482193756041827305 generated'),
    reference: textAnswer(
      'Our reference of a redemption, or that of a deposit; null without one',
      'RDM-0123456789ABCDEF',
    ).nullable(),
    voucherId: nullable('voucher'),
    transactionId: nullable('top-up'),
  })
  .meta({ title: 'Transaction' });

type Query = Omit<WalletsQuery, 'limit'> & { readonly kinds: readonly string[] | undefined };

/** Lists what changed a partner's wallets (beyond the specification). */
export const listTransactionsEndpoint = endpoint({
  method: 'GET',
  path: '/transactions',
  operation: 'list-transactions',
  summary: 'List transactions of the wallets',
  description:
    'Changes of your wallets, by cursor. Newest first to look back; oldest first to go on where you ' +
    'ended. Keep `next` and send it as `after`: no transaction is left out, and none comes twice. ' +
    'Oldest first ends a minute ago. A page may have fewer than `limit`, or none, while `hasMore` is ' +
    'true. With `Accept: text/csv` the answer is a file of all transactions after `after`.',
  access: 'token',
  scope: 'read',
  csv: true,
  query: z.object({
    wallet: repeatable(walletField, 'Only this wallet', 'gift'),
    kind: repeatable(kindField, 'Only this kind', 'deposit'),
    from: timeParameter('Transactions from this time on').optional(),
    to: timeParameter('Transactions before this time').optional(),
    order: z
      .enum(['newest', 'oldest'], 'must be newest or oldest')
      .default('newest')
      .meta({ description: 'Which come first', examples: ['oldest'] }),
    after: transactionCursor.optional().meta({
      description: '`next` of an earlier answer with the same order',
      examples: ['1795687200000000-4711-gift'],
    }),
    limit: numberParameter('Most transactions of the answer', [1, MAXIMUM_LIMIT]).default(
      DEFAULT_LIMIT,
    ),
  }),
  answer: z.object({
    transactions: z.array(transactionSchema).meta({ description: 'The transactions' }),
    next: textAnswer(
      'The cursor of the next call, also where there is no more; null before the first transaction',
      '1795687200000000-4711-gift',
    )
      .meta({ pattern: CURSOR_PATTERN })
      .nullable(),
    hasMore: z
      .boolean()
      .meta({ description: 'Whether there are more: call again at once', examples: [false] }),
  }),
  reasons: [],
  async handle({ services, company, query, prefersCsv }) {
    const { limit, wallet, kind, ...asked } = query;
    const read = {
      partnerId: company.id,
      wallets: wallet ? [wallet].flat() : wallets,
      kinds: kind && [kind].flat(),
      from: asked.from,
      to: asked.to,
      order: asked.order,
      after: asked.after,
    };
    if (prefersCsv) {
      const first = await readBatch(services, company, read);
      return 'reason' in first ? first : csvReply('transactions.csv', columns, first);
    }
    const page = await readPage(services, company, { ...read, limit });
    if ('reason' in page) return page;
    const { transactions, next, hasMore } = page;
    return reply(
      {
        transactions: transactions.map(presentTransaction),
        next: next ? encodeTransactionCursor(next) : null,
        hasMore,
      },
      { message: 'Transactions' },
    );
  },
});

/** A page of the wanted kinds. */
async function readPage(services: Services, company: Caller, query: Query & { limit: number }) {
  const { kinds: wanted, limit, ...asked } = query;
  const searched = wanted ? BATCH : limit + 1;
  const found = await services.lists.read(company, (database) =>
    readWalletTransactions(database, { ...asked, limit: searched }),
  );
  if (!found) return refuse('unavailable', { retryAfterSeconds: 1 });
  const fitting = wanted ? found.filter((one) => wanted.includes(transactionKindOf(one))) : found;
  const transactions = fitting.slice(0, limit);
  const isCut = fitting.length > limit;
  const next = (isCut ? transactions.at(-1) : found.at(-1)) ?? asked.after;
  return { transactions, next, hasMore: isCut || found.length === searched };
}

/** The lines of a file, batch by batch. */
async function readBatch(
  services: Services,
  company: Caller,
  query: Query,
): Promise<CsvBatch | Refusal> {
  const page = await readPage(services, company, { ...query, limit: BATCH });
  if ('reason' in page) return page;
  const { transactions, next: after, hasMore } = page;
  const next = async () => {
    const batch = await readBatch(services, company, { ...query, after });
    if ('reason' in batch) throw new Error('The rest of a file could not be read');
    return batch;
  };
  const rows = transactions.map((one) => {
    const shown = presentTransaction(one);
    return columns.map((column) => shown[column]);
  });
  return { rows, next: hasMore ? next : undefined };
}

type Shown = z.output<typeof transactionSchema>;

/** The columns of the file. */
const columns = transactionSchema.keyof().options;

const presentTransaction = (line: WalletTransaction): Shown => ({
  id: `${line.wallet}-${line.id}`,
  createdAt: line.at.toISOString(),
  wallet: line.wallet,
  kind: transactionKindOf(line),
  amount: line.change,
  currency: 'ETB',
  description: explainLine(line),
  reference: line.redemption_reference ?? /^deposit:(.+)$/.exec(line.operation_id)?.[1] ?? null,
  voucherId: line.voucher_id,
  transactionId: line.topup_id,
});
