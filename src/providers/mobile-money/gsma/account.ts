import { z } from 'zod';
import type { HttpResult } from '../../http-call.js';
import { presentableMessage } from '../../presentable-message.js';
import { readJson } from '../../read-json.js';
import {
  type ProviderAccount,
  type ProviderBalance,
  type ProviderStatementLine,
  statementPages,
} from '../../statement.js';
import { notListed } from '../../transaction-list.js';
import { caseless, listedFields, transactionSchema } from './answers.js';
import { statusOfWord } from './transformers.js';

/** Answers are limited in size; a transaction has about a kilobyte. */
const PAGE_SIZE = 100;

const amount = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^\d{1,18}(\.\d{1,10})?$/));
const feeSchema = caseless({ feeamount: amount, feecurrency: z.string() });

const listSchema = z.array(
  z.intersection(
    transactionSchema,
    caseless({
      ...listedFields,
      fees: z.array(feeSchema).nullish(),
      requestdate: z.coerce.date().nullish(),
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

interface AccountSettings {
  readonly account: string;
  readonly timeoutSeconds: number;
}

/** What the provider says of our account (providers.md 3.1): its transactions, and its balance. */
export function gsmaAccount(
  get: (path: string, deadline: AbortSignal) => Promise<HttpResult>,
  { account, timeoutSeconds }: AccountSettings,
): Required<Pick<ProviderAccount, 'listStatement' | 'balance' | 'check'>> {
  const path = `accounts/accountid/${encodeURIComponent(account)}`;
  const ask = (rest: string) => get(`${path}/${rest}`, AbortSignal.timeout(timeoutSeconds * 1_000));
  return {
    listStatement: ({ from, to }) =>
      statementPages(async (index) => {
        const query = new URLSearchParams({
          limit: String(PAGE_SIZE),
          offset: String(index * PAGE_SIZE),
          fromDateTime: from.toISOString(),
          // The end belongs to the next period.
          toDateTime: new Date(to.getTime() - 1).toISOString(),
        });
        const answer = await ask(`transactions?${query}`);
        if (answer.kind !== 'answered') return notListed(answer.message);
        const found = answer.status === 200 ? readJson(listSchema, answer.body) : undefined;
        if (!found) return notListed(`HTTP status ${answer.status}, without a readable list.`);
        const lines = found.flatMap((one) => lineOf(one));
        if (lines.some((line) => Number.isNaN(line.at.getTime())))
          return notListed('A transaction of the list has no time.');
        return { kind: 'page', lines, isLast: found.length < PAGE_SIZE };
      }),
    async check() {
      return readHeartbeat(await get('heartbeat', AbortSignal.timeout(timeoutSeconds * 1_000)));
    },
    async balance() {
      const answer = await ask('balance');
      if (answer.kind !== 'answered') return { kind: 'unknown', message: answer.message };
      return readBalance(answer);
    },
  };
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

/** Other movements of the account, such as its deposits, are none of ours. */
function lineOf(found: Listed): ProviderStatementLine[] {
  const kind = found.type == null ? 'payment' : kinds[found.type];
  if (kind === undefined) return [];
  const fees = found.fees ?? [];
  return [
    {
      kind,
      reference: found.requestingorganisationtransactionreference ?? null,
      providerReference: found.transactionreference,
      originalReference: found.originaltransactionreference ?? undefined,
      status: statusOfWord(found.transactionstatus),
      amount: amount.safeParse(found.amount).data ?? null,
      currency: found.currency ?? null,
      ...feeOf(fees),
      at: found.creationdate ?? found.datecreated ?? found.requestdate ?? new Date(Number.NaN),
    },
  ];
}

/** Fees of one transaction have one currency; others would have to be lines of their own. */
function feeOf(fees: readonly z.infer<typeof feeSchema>[]) {
  const [first] = fees;
  const same = fees.filter(({ feecurrency }) => feecurrency === first?.feecurrency);
  if (!first) return { fee: null, feeCurrency: null };
  return { fee: sumOf(same.map((one) => one.feeamount)), feeCurrency: first.feecurrency };
}

/** Exact: amounts have at most ten decimals. */
function sumOf(amounts: readonly string[]): string {
  const unit = 10n ** 10n;
  const sum = amounts.reduce((total, one) => {
    const [whole = '0', decimals = ''] = one.split('.');
    return total + BigInt(whole) * unit + BigInt(decimals.padEnd(10, '0'));
  }, 0n);
  return `${sum / unit}.${(sum % unit).toString().padStart(10, '0')}`;
}
