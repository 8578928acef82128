import { z } from 'zod';
import { presentableMessage } from '../../../domain/providers/presentable-message.ts';
import type { HttpResult } from '../../http-call.ts';
import { readJson } from '../../read-json.ts';
import {
  type ProviderAccount,
  type ProviderBalance,
  type ProviderStatementLine,
  statementPages,
} from '../../statement.ts';
import { caseless, listedFields, partySchema, transactionSchema } from './answers.ts';
import {
  type AccountSettings,
  accountPath,
  type GsmaGet,
  readTransactionsPage,
} from './transactions-page.ts';
import { statusOfWord } from './transformers.ts';

const amount = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^\d{1,18}(\.\d{1,10})?$/));
/** A fee without an amount is none; one without a currency is unreadable. */
const feeSchema = caseless({
  feeamount: amount.nullish(),
  feecurrency: z.string().nullish(),
}).refine(({ feeamount, feecurrency }) => feeamount == null || feecurrency != null);

const listSchema = z.array(
  z.intersection(
    transactionSchema,
    caseless({
      ...listedFields,
      fees: z.array(feeSchema).nullish(),
      requestdate: z.coerce.date().nullish(),
      debitparty: partySchema,
    }),
  ),
);
type Listed = z.infer<typeof listSchema>[number];

const balanceSchema = caseless({
  availablebalance: amount.nullish(),
  currentbalance: amount.nullish(),
  currency: z.string().nullish(),
});

const heartbeatSchema = caseless({
  servicestatus: z.string().transform((word) => word.trim().toLowerCase()),
});

/** What the provider says of our account (providers.md 3.1): its transactions, and its balance. */
export function gsmaAccount(
  get: GsmaGet,
  settings: AccountSettings,
): Required<Pick<ProviderAccount, 'listStatement' | 'balance' | 'check'>> {
  const ask = (path: string) => get(path, AbortSignal.timeout(settings.timeoutSeconds * 1_000));
  return {
    listStatement({ from, to: end }) {
      // The end belongs to the next period.
      const to = new Date(end.getTime() - 1);
      return statementPages(
        (index) => readTransactionsPage(get, settings, { from, to, index }, listSchema),
        (found) => linesOf(found, [settings.account, ...(settings.accountAliases ?? [])]),
      );
    },
    async check() {
      return readHeartbeat(await ask('heartbeat'));
    },
    async balance() {
      const answer = await ask(`${accountPath(settings.account)}/balance`);
      if (answer.kind !== 'answered') return { kind: 'unknown', message: answer.message };
      return readBalance(answer);
    },
  };
}

function linesOf(
  found: readonly Listed[],
  account: readonly string[],
): (ProviderStatementLine | 'ignored')[] | string {
  const lines = found.flatMap((one) => lineOf(one, account));
  return lines.some((line) => line !== 'ignored' && Number.isNaN(line.at.getTime()))
    ? 'A transaction of the list has no time.'
    : lines;
}

/** Why its service is not available; a provider without a heartbeat says nothing. */
function readHeartbeat(answer: HttpResult): string | undefined {
  if (answer.kind !== 'answered') return answer.message;
  if ([404, 405, 501].includes(answer.status)) return undefined;
  const status = answer.status === 200 ? readJson(heartbeatSchema, answer.body) : undefined;
  if (!status) return `HTTP status ${answer.status}, without a readable heartbeat.`;
  return status.servicestatus === 'available'
    ? undefined
    : `It says that its service is ${presentableMessage(status.servicestatus)}.`;
}

/** The available balance, or the current one where the provider does not tell them apart. */
function readBalance({ status, body }: { status: number; body: string }): ProviderBalance {
  const found = status === 200 ? readJson(balanceSchema, body) : undefined;
  const amount = found?.availablebalance ?? found?.currentbalance;
  return found?.currency && amount
    ? { kind: 'balance', amount, currency: found.currency }
    : { kind: 'unknown', message: `HTTP status ${status}, without a readable balance.` };
}

const kinds: Readonly<Record<string, ProviderStatementLine['kind']>> = {
  disbursement: 'payment',
  reversal: 'reversal',
};

/**
 * A transaction of another type, such as a transfer or a withdrawal, is a payment that nobody here has
 * ordered, unless it put money into the account.
 */
function lineOf(found: Listed, account: readonly string[]): (ProviderStatementLine | 'ignored')[] {
  const kind = found.type == null ? 'payment' : (kinds[found.type] ?? 'other');
  if (kind === 'other' && isCredit(found, account)) return ['ignored'];
  const [fee = noFee, ...others] = feesOf(found.fees ?? []);
  const line: ProviderStatementLine = {
    kind: kind === 'other' ? 'payment' : kind,
    ...(kind === 'other' && { isOther: true }),
    reference: found.requestingorganisationtransactionreference ?? null,
    providerReference: found.transactionreference,
    originalReference: found.originaltransactionreference ?? undefined,
    status: statusOfWord(found.transactionstatus),
    amount: amount.safeParse(found.amount).data ?? null,
    currency: found.currency ?? null,
    ...fee,
    at: found.creationdate ?? found.datecreated ?? found.requestdate ?? new Date(Number.NaN),
  };
  return [line, ...others.map((other) => lineOfFee(line, other))];
}

/** Types that put money into the account; providers may name it there by another key. */
const creditTypes: readonly string[] = ['deposit', 'merchantpay'];

/** Whether it put money into the account. */
function isCredit({ type, creditparty, debitparty }: Listed, account: readonly string[]): boolean {
  const isOurs = (party: Listed['creditparty']) =>
    party?.some(({ value }) => account.includes(value));
  if (isOurs(debitparty)) return false;
  return isOurs(creditparty) === true || (type != null && creditTypes.includes(type));
}

interface Fee {
  readonly fee: string | null;
  readonly feeCurrency: string | null;
}

const noFee: Fee = { fee: null, feeCurrency: null };

/** The fees of a transaction, one for each currency. */
function feesOf(fees: readonly z.infer<typeof feeSchema>[]): Fee[] {
  const charged = fees.flatMap(({ feeamount, feecurrency }) =>
    feeamount == null || feecurrency == null ? [] : { feeamount, feecurrency },
  );
  const currencies = [...new Set(charged.map(({ feecurrency }) => feecurrency))];
  return currencies.map((feeCurrency) => {
    const same = charged.filter(({ feecurrency }) => feecurrency === feeCurrency);
    return { fee: sumOf(same.map((one) => one.feeamount)), feeCurrency };
  });
}

/** A line has one currency: a fee in a further one is a line without an operation. */
const lineOfFee = (line: ProviderStatementLine, fee: Fee): ProviderStatementLine => ({
  ...line,
  ...fee,
  providerReference: `${line.providerReference} fee ${fee.feeCurrency}`,
  reference: null,
  originalReference: undefined,
  amount: '0',
});

/** Exact: amounts have at most ten decimals. */
function sumOf(amounts: readonly string[]): string {
  const unit = 10n ** 10n;
  const sum = amounts.reduce((total, one) => {
    const [whole = '0', decimals = ''] = one.split('.');
    return total + BigInt(whole) * unit + BigInt(decimals.padEnd(10, '0'));
  }, 0n);
  return `${sum / unit}.${(sum % unit).toString().padStart(10, '0')}`;
}
