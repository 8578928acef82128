import { breakMeanings } from '../../domain/provider-statements/break-types.ts';
import type { Database } from '../connection.ts';
import { type Break, findBreak, listOpenBreaks } from './breaks.ts';
import { listUnfinished, type UnfinishedStatement } from './provider-statements.ts';

/** A break, by its id; or a statement that was not compared, by provider and day. */
interface StatementCase {
  readonly kind: 'break' | 'statement';
  readonly reference: string;
  readonly subject: string;
  /** Decimal string. */
  readonly amount: string;
  /** Its subject names the provider. */
  readonly provider: null;
  readonly partnerId: null;
  /** Of the payment or the top-up: ours and the provider's. */
  readonly references: readonly string[];
  /** The type of the break, or the state of the statement. */
  readonly words: string;
}

/** More open breaks than a person can look at: those of later days wait. */
const MAXIMUM_CASES = 300;

/** Breaks that do not close by themselves, and statements that were not compared. */
export async function listStatementCases(database: Database): Promise<StatementCase[]> {
  const breaks = await listOpenBreaks(database, { includeLate: false, limit: MAXIMUM_CASES });
  return [...breaks.map(ofBreak), ...(await listUnfinished(database)).map(ofStatement)];
}

/** An open one; undefined where it is not open. */
export async function findStatementCase(
  database: Database,
  kind: 'break' | 'statement',
  reference: string,
): Promise<StatementCase | undefined> {
  if (kind === 'statement')
    return (await listUnfinished(database))
      .map(ofStatement)
      .find((one) => one.reference === reference);
  const found = await findBreak(database, Number(reference));
  return found?.state === 'OPEN' && found.type !== 'late' ? ofBreak(found) : undefined;
}

const ofBreak = (one: Break): StatementCase => ({
  kind: 'break',
  reference: String(one.id),
  subject: subjectOfBreak(one),
  amount: one.ourAmount ?? one.providerAmount ?? '0',
  provider: null,
  partnerId: null,
  references: [one.reference, one.providerReference].filter((name) => name !== null),
  words: one.type,
});

const kinds: Readonly<Record<Break['kind'], string>> = {
  payment: 'payment',
  reversal: 'reversal of a payment',
  'top-up': 'top-up',
};

/** A break in words. */
function subjectOfBreak(one: Break): string {
  const { provider, day, reference, providerReference } = one;
  const names = [
    `${provider}, ${day}, ${kinds[one.kind]}`,
    ...(reference === null ? [] : [`our reference ${reference}`]),
    ...(providerReference === null ? [] : [`its reference ${providerReference}`]),
  ];
  return `${names.join(', ')}: ${breakMeanings[one.type]} (${sides(one)})`;
}

const sides = (one: Break): string =>
  `ours: ${one.ourStatus ?? 'none'}${amountOf(one.ourAmount, 'ETB')}; provider: ` +
  `${one.providerStatus ?? 'none'}${amountOf(one.providerAmount, one.providerCurrency)}`;

const amountOf = (amount: string | null, currency: string | null): string =>
  amount === null ? '' : ` ${currency ?? ''} ${amount}`.replace('  ', ' ');

const ofStatement = ({ provider, day, state, failure }: UnfinishedStatement): StatementCase => ({
  kind: 'statement',
  reference: `${provider}:${day}`,
  subject: `${provider}, ${day}: ${failure}`,
  amount: '0',
  provider: null,
  partnerId: null,
  references: [],
  words: state,
});
