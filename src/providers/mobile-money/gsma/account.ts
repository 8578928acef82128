import { z } from 'zod';
import type { ProviderStatementLine } from '../../../domain/positions/statement-line.ts';
import { presentableMessage } from '../../../domain/providers.ts';
import { faultNote } from '../../guard.ts';
import { type ApiGet, type HttpResult, looseText, readJson, readOk } from '../../http-call.ts';
import {
  type FoundPage,
  type ProviderAccount,
  readBalance,
  readFoundPage,
  type StatementRow,
  statementPages,
} from '../../statement.ts';
import type { AccountAnswer, MobileMoney } from '../mobile-money.ts';
import {
  caseless,
  kindOfType,
  partySchema,
  saysNeverSeen,
  statusOfWord,
  transactionSchema,
} from './transformers.ts';

/** Answers are limited in size; a transaction has about a kilobyte. */
const PAGE_SIZE = 100;

/** Our account at the provider. */
interface AccountSettings {
  readonly account: string;
  /** Other identifiers by which the provider names it in its lists. */
  readonly accountAliases?: readonly string[];
}

/** The path of our account, without a trailing slash. */
const accountPath = (account: string): string =>
  `/accounts/accountid/${encodeURIComponent(account)}`;

/**
 * Reads a page of the transactions of our account between two moments, both included, by
 * `GET /accounts/accountid/{account}/transactions` (GSMA Mobile Money API).
 */
async function readTransactionsPage(
  get: ApiGet,
  { account }: AccountSettings,
  { from, to, offset }: { readonly from: Date; readonly to: Date; readonly offset: number },
): Promise<FoundPage<Listed>> {
  const query = new URLSearchParams({
    limit: String(PAGE_SIZE),
    offset: String(offset),
    fromDateTime: from.toISOString(),
    toDateTime: to.toISOString(),
  });
  return readFoundPage(await get(`${accountPath(account)}/transactions?${query}`), listSchema);
}

const amount = looseText.pipe(z.string().regex(/^\d{1,18}(\.\d{1,10})?$/));
/** A fee without an amount is none; one without a currency is unreadable. */
const feeSchema = caseless({
  feeamount: amount.nullish(),
  feecurrency: z.string().nullish(),
}).refine(({ feeamount, feecurrency }) => feeamount == null || feecurrency != null);

const listSchema = z.array(
  z.intersection(
    transactionSchema,
    caseless({
      type: z.string().nullish(),
      creationdate: z.coerce.date().nullish(),
      datecreated: z.coerce.date().nullish(),
      descriptiontext: z.string().nullish(),
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

/** What the provider says of our account (GSMA Mobile Money API): its transactions, and its balance. */
export function gsmaAccount(
  get: ApiGet,
  settings: AccountSettings,
): Required<Pick<ProviderAccount, 'listStatement' | 'balance' | 'check'>> {
  return {
    listStatement({ from, to: end }) {
      // The end belongs to the next period.
      const to = new Date(end.getTime() - 1);
      return statementPages(
        ({ offset }) => readTransactionsPage(get, settings, { from, to, offset }),
        (found) => linesOf(found, [settings.account, ...(settings.accountAliases ?? [])]),
      );
    },
    async check() {
      return readHeartbeat(await get('/heartbeat'));
    },
    async balance() {
      const answer = await get(`${accountPath(settings.account)}/balance`);
      return readBalance(
        answer,
        balanceSchema,
        ({ availablebalance, currentbalance, currency }) => ({
          // Some providers do not tell the available balance and the current one apart.
          amount: availablebalance ?? currentbalance,
          currency,
        }),
      );
    },
  };
}

function linesOf(found: readonly Listed[], account: readonly string[]): StatementRow[] | string {
  const lines = found.flatMap((one) => lineOf(one, account));
  return lines.some((line) => line !== 'ignored' && Number.isNaN(line.at.getTime()))
    ? 'A transaction of the list has no time.'
    : lines;
}

/** Why its service is not available; a provider without a heartbeat says nothing. */
function readHeartbeat(answer: HttpResult): string | undefined {
  if (answer.kind !== 'answered') return answer.message;
  if ([404, 405, 501].includes(answer.status)) return undefined;
  const status = readOk(heartbeatSchema, answer);
  if (!status) return `HTTP status ${answer.status}, without a readable heartbeat.`;
  return status.servicestatus === 'available'
    ? undefined
    : `It says that its service is ${presentableMessage(status.servicestatus)}.`;
}

/**
 * A transaction of another type, such as a transfer or a withdrawal, is a payment without an order
 * here, unless it put money into the account.
 */
function lineOf(found: Listed, account: readonly string[]): StatementRow[] {
  const kind = kindOfType(found.type);
  const isOther = kind === 'other' || kind === 'credit';
  if (isOther && isCredit(found, kind, account)) return ['ignored'];
  const [fee = noFee, ...others] = feesOf(found.fees ?? []);
  const line: ProviderStatementLine = {
    kind: isOther ? 'payment' : kind,
    ...(isOther && { isOther: true }),
    reference: found.requestingorganisationtransactionreference ?? null,
    providerReference: found.transactionreference,
    originalReference: found.originaltransactionreference ?? undefined,
    status: statusOfWord(found.transactionstatus),
    amount: amount.safeParse(found.amount).data ?? null,
    currency: found.currency ?? null,
    ...fee,
    at: found.creationdate ?? found.datecreated ?? found.requestdate ?? new Date(Number.NaN),
    party: found.creditparty?.map(({ key, value }) => `${key} ${value}`).join(', ') ?? null,
    description: found.descriptiontext ?? null,
  };
  return [line, ...others.map((other) => lineOfFee(line, other))];
}

/** Whether it put money into the account. Providers may name the account by another key in a credit. */
function isCredit(
  { creditparty, debitparty }: Listed,
  kind: 'credit' | 'other',
  account: readonly string[],
): boolean {
  const isOurs = (party: Listed['creditparty']) =>
    party?.some(({ value }) => account.includes(value));
  if (isOurs(debitparty)) return false;
  return isOurs(creditparty) === true || kind === 'credit';
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

const statusSchema = caseless({
  accountstatus: z.string().transform((word) => word.toLowerCase()),
});
const text = z.string().trim().max(256);
const nameSchema = caseless({
  name: caseless({
    fullname: text.nullish(),
    firstname: text.nullish(),
    middlename: text.nullish(),
    lastname: text.nullish(),
  }),
});

/** With these a provider says that it does not serve the question, now or later. */
const notServed: readonly number[] = [400, 403, 404, 405, 410, 501];

/** With these it refuses every call for now, payments as well: it is out of order for us. */
const outOfOrder: readonly number[] = [401, 429];

/**
 * Asks for the status and the holder of an account, `GET /accounts/{key}/{value}/status` and
 * `/accountname` (GSMA Mobile Money API), both at once.
 */
export function gsmaPayeeAccount(
  get: ApiGet,
  timeoutSeconds: number,
): NonNullable<MobileMoney['checkAccount']> {
  return async ({ key, value }) => {
    const path = `/accounts/${encodeURIComponent(key)}/${encodeURIComponent(value)}`;
    const deadline = AbortSignal.timeout(timeoutSeconds * 1_000);
    const noteFault = faultNote();
    const ask = async (what: string): Promise<HttpResult> => {
      const answer = await get(`${path}/${what}`, deadline);
      // Without an answer there may have been no access token either.
      if (answer.kind !== 'answered' || outOfOrder.includes(answer.status)) noteFault();
      return answer;
    };
    const answers = await Promise.all([
      ask('status').then(readStatus),
      ask('accountname').then(readName),
    ]);
    const of = <Kind extends AccountAnswer['kind']>(kind: Kind) =>
      answers.find((one): one is Extract<AccountAnswer, { kind: Kind }> => one.kind === kind);
    const named = answers.find((one) => one.kind === 'open' && one.holder !== null);
    return of('closed') ?? of('unknown') ?? named ?? of('open') ?? { kind: 'not-offered' };
  };
}

/** Money to an unregistered number becomes a voucher of the provider, which may never be collected. */
export function readStatus(answer: HttpResult): AccountAnswer {
  const rejected = readRejection(answer);
  if (rejected) return rejected;
  const status = answer.kind === 'answered' && readJson(statusSchema, answer.body)?.accountstatus;
  if (status === 'available') return { kind: 'open', holder: null };
  return status === 'unavailable' || status === 'unregistered'
    ? { kind: 'closed' }
    : { kind: 'unknown', message: 'The provider gave no readable status of the account.' };
}

/** The full name, or the parts that there are. */
export function readName(answer: HttpResult): AccountAnswer {
  const rejected = readRejection(answer);
  if (rejected) return rejected;
  const name = answer.kind === 'answered' && readJson(nameSchema, answer.body)?.name;
  if (!name) return { kind: 'not-offered' };
  const parts = [name.firstname, name.middlename, name.lastname].filter(Boolean).join(' ');
  return { kind: 'open', holder: name.fullname || parts || null };
}

/** Undefined where the provider answers the question. */
function readRejection(answer: HttpResult): AccountAnswer | undefined {
  if (answer.kind !== 'answered') return { kind: 'unknown', message: answer.message };
  if (answer.status === 200) return undefined;
  if (saysNeverSeen(answer)) return { kind: 'closed' };
  return notServed.includes(answer.status)
    ? { kind: 'not-offered' }
    : { kind: 'unknown', message: `HTTP status ${answer.status}.` };
}
