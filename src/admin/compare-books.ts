import { type Database, firstValue } from '../db/connection.ts';
import { listProviderStates, listRoutes } from '../db/providers.ts';
import {
  findKnown,
  type KnownPlacement,
  type LostOrder,
  referencesOfReceipts,
} from '../db/recovery.ts';
import { parseMoney, sumOf } from '../domain/money.ts';
import type { ProviderStatementLine } from '../domain/positions/statement-line.ts';
import {
  type AirtimeProviderName,
  type MobileMoneyProviderName,
  type StatementProviderName,
  statementProviderNames,
  statementProviders,
} from '../domain/providers.ts';
import type { ProviderSet } from '../providers/provider-set.ts';
import type { ProviderAccount, StatementPeriod } from '../providers/statement.ts';
import { AdminError } from './fields.ts';
import { withStatementFile } from './given-file.ts';
import { timeText } from './tables.ts';

/** The providers whose books are compared with ours. */
interface ListedProviders {
  readonly mobileMoney: ProviderSet<MobileMoneyProviderName, ProviderAccount>;
  readonly airtime: ProviderSet<AirtimeProviderName, ProviderAccount>;
}

/**
 * The state of a provider's transaction in our books.
 *
 * - `lost`: the provider did it, or may do it, and our row is gone.
 * - `open`: on hold; its workflow asks the provider.
 * - `differs`: our row says otherwise.
 * - `agrees`: our row says the same, or neither a row nor an effect exists.
 * - `recovered`: booked in suspense.
 * - `foreign`: without a reference of ours, or in another currency.
 */
type Verdict = 'lost' | 'open' | 'differs' | 'agrees' | 'recovered' | 'foreign';

/** A transaction of a provider, compared with our books. */
export interface ComparedTransaction extends ProviderStatementLine {
  readonly kind: 'payment' | 'top-up';
  readonly provider: string;
  readonly verdict: Verdict;
}

/** The payments of a statement file, by its provider. */
type GivenStatements = Readonly<
  Partial<Record<StatementProviderName, readonly ProviderStatementLine[] | undefined>>
>;

/** The operations of the providers since a time. */
export interface ComparedBooks {
  readonly comparisons: readonly ComparedTransaction[];
  /** Providers that cannot list, and what cannot be booked, in words for the operator. */
  readonly gaps: readonly string[];
}

/** ETB is the only currency of our books. */
const CURRENCY = 'ETB';

/**
 * Lists what the providers did since a time and compares it with our books. A provider that has had orders without
 * being set up here is a gap; the file of a provider is enough.
 *
 * @throws {AdminError} where a provider that can list did not do so completely
 */
export async function compareBooks(
  database: Database,
  listed: ListedProviders,
  { since, statements = {} }: { readonly since: Date; readonly statements?: GivenStatements },
): Promise<ComparedBooks> {
  const period = { from: since, to: new Date() };
  const comparisons: ComparedTransaction[] = [];
  const gaps: string[] = [];
  const used = await usedProviders(database);
  for (const { kind, provider, port } of portsOf(listed)) {
    const given = statements[provider];
    if (port === undefined && given === undefined) {
      if (used.has(provider))
        gaps.push(
          `${provider} is not set up for this command, but the workers or the routes have it: give its ` +
            'settings, as the worker process has them.',
        );
      continue;
    }
    const lines = given ?? (await listedBy(port, { kind, provider, period }));
    if (lines === undefined) {
      gaps.push(
        `${provider} cannot list each ${kind} that it did: give its statement with --${provider}-statement.`,
      );
      continue;
    }
    const transactions = kind === 'payment' ? lines.map(asOurs) : lines;
    const references = transactions.flatMap(({ reference }) => reference ?? []);
    const known = await findKnown(database, kind, references);
    const compared = transactions.map((one) => {
      const verdict = verdictOf(one, known.get(one.reference ?? '') ?? [], provider);
      return { ...one, kind, provider, verdict };
    });
    comparisons.push(...compared);
    const unnamed = given ? compared.filter(isUnnamed) : [];
    if (unnamed.length > 0)
      gaps.push(
        `The statement of ${provider} has ${unnamed.length} times a ${kind} without our reference: ` +
          'compare them by hand.',
      );
  }
  return { comparisons, gaps };
}

/**
 * All orders of a kind that a provider lists; undefined where it cannot. An incomplete list is none: what is
 * missing would be lost.
 */
async function listedBy(
  port: ProviderAccount | undefined,
  {
    kind,
    provider,
    period,
  }: Pick<ComparedTransaction, 'kind' | 'provider'> & { readonly period: StatementPeriod },
): Promise<ProviderStatementLine[] | undefined> {
  const pages = port?.listStatement?.(period);
  if (!pages) return undefined;
  const lines: ProviderStatementLine[] = [];
  for await (const page of pages) {
    if (page.kind === 'not-listed')
      throw new AdminError(
        `${provider} did not list each ${kind}, so nothing was compared: ${page.message} Try again.`,
      );
    lines.push(...page.rows.filter((row) => row !== 'ignored'));
  }
  return ordersAmong(lines, kind);
}

/**
 * The orders of a kind in a list. A payment that reversals of the list have taken back as a whole moved nothing in the
 * end, also where its provider still calls it completed.
 */
function ordersAmong(
  lines: readonly ProviderStatementLine[],
  kind: ComparedTransaction['kind'],
): ProviderStatementLine[] {
  const reversals = Map.groupBy(
    lines.filter((line) => line.kind === 'reversal' && line.status === 'completed'),
    ({ originalReference }) => originalReference,
  );
  const isTakenBack = ({ providerReference, amount }: ProviderStatementLine): boolean => {
    const parts = (reversals.get(providerReference) ?? []).map((part) => part.amount ?? '0');
    // M-Pesa says no amount of a reversal, which is one of the whole.
    const isWhole = parts.some((part) => parseMoney(part) === 0n);
    return isWhole || (parts.length > 0 && sumOf(parts) >= parseMoney(amount ?? '0'));
  };
  return lines
    .filter((line) => line.kind === kind && !line.isOther && !isFee(line))
    .map((line) =>
      line.status === 'completed' && isTakenBack(line) ? { ...line, status: 'reversed' } : line,
    );
}

const isFee = ({ amount }: ProviderStatementLine): boolean => amount === '0';

/** References of payments are UUIDs, which a provider may write in capitals. */
const asOurs = (found: ProviderStatementLine): ProviderStatementLine => ({
  ...found,
  reference: found.reference?.toLowerCase() ?? null,
});

/** The providers of value with what each does for us, and its account where it is configured. */
function portsOf({ mobileMoney, airtime }: ListedProviders) {
  const ports = new Map<string, ProviderAccount>([
    ...mobileMoney.names.map((name) => [name, mobileMoney.named(name)] as const),
    ...airtime.names.map((name) => [name, airtime.named(name)] as const),
  ]);
  return statementProviderNames.map((provider) => ({
    kind: statementProviders[provider] === 'airtime' ? ('top-up' as const) : ('payment' as const),
    provider,
    port: ports.get(provider),
  }));
}

/** The providers that running workers have, and those of routes: each may have had orders since the restored moment. */
async function usedProviders(database: Database): Promise<ReadonlySet<string>> {
  const states = await listProviderStates(database);
  const routes = (await listRoutes(database)).filter(({ is_enabled: isEnabled }) => isEnabled);
  return new Set([...states, ...routes].map(({ provider }) => provider));
}

/** It may be ours: the provider's file need not have our reference. */
const isUnnamed = ({ reference, status }: ComparedTransaction): boolean =>
  reference === null && status !== 'failed';

/** How a transaction stands, by our placements: another provider may have done what this one says. */
function verdictOf(
  { reference, status, currency }: ProviderStatementLine,
  known: readonly KnownPlacement[],
  asked: string,
): Verdict {
  if (reference === null || (currency !== null && currency.toUpperCase() !== CURRENCY))
    return 'foreign';
  const isDone = status === 'completed' || status === 'pending';
  const ours = known[0]?.status;
  const here = known.find(({ provider }) => provider === asked);
  // A failed or reversed one moved nothing in the end.
  if (ours === undefined || (ours === 'LOST' && !here)) return isDone ? 'lost' : 'agrees';
  if (ours === 'LOST') return 'recovered';
  if (ours === 'HELD') return 'open';
  return isDone === (here?.isDone ?? false) ? 'agrees' : 'differs';
}

/**
 * Reads what M-Pesa paid since a moment from its organisation statement, as the reconciliation reads it.
 * A row without our reference gets that of our row with its receipt, where there is one. Earlier rows are left out:
 * M-Pesa exports whole days.
 *
 * @throws {AdminError} where the file is no such statement, or has no payment since then
 */
export async function readMpesaStatement(
  database: Database,
  file: string,
  {
    since,
    zone,
    mayBeEmpty,
  }: { readonly since: Date; readonly zone: string; readonly mayBeEmpty: boolean },
): Promise<readonly ProviderStatementLine[]> {
  const period = { from: new Date(0), to: new Date() };
  const options = { provider: 'mpesa', zone, period, mayBeEmpty };
  const lines = await withStatementFile(file, options, async (read) => {
    const newer: ProviderStatementLine[] = [];
    for await (const row of read) if (row !== 'ignored' && row.at >= since) newer.push(row);
    return ordersAmong(newer, 'payment');
  });
  if (lines.length === 0 && !mayBeEmpty)
    throw new AdminError(
      `The file has no payment since ${timeText(since)}. If M-Pesa says so, add --empty.`,
    );
  const unnamed = lines.flatMap((line) => (line.reference === null ? line.providerReference : []));
  const known = await referencesOfReceipts(database, 'mpesa', unnamed);
  return lines.map((line) => ({
    ...line,
    reference: line.reference ?? known.get(line.providerReference) ?? null,
  }));
}

/** The serial number in the description of a payment (activities/redemptions/payments.ts). */
const SERIAL_NUMBER = /\bvoucher (\S+)$/;

/** The known part of a lost payment or top-up; undefined where even its amount is unknown. */
export async function lostPaymentOf(
  database: Database,
  found: ComparedTransaction,
): Promise<LostOrder | undefined> {
  const { kind, provider, reference, providerReference, at, party = null, description } = found;
  const amount = found.amount ?? (await packagePrice(database, found.productId));
  if (reference === null || amount === undefined) return undefined;
  return {
    kind,
    provider,
    reference,
    providerReference,
    madeAt: at,
    party,
    amount,
    serialNumber: SERIAL_NUMBER.exec(description ?? '')?.[1] ?? null,
  };
}

/** The price of a package, if all our products of it have the same. */
async function packagePrice(
  database: Database,
  productId: string | null = null,
): Promise<string | undefined> {
  if (productId === null || !/^\d{1,9}$/.test(productId)) return undefined;
  return await firstValue<string>(database)`
    select min(price_amount)::text from products
    where provider_product_id = ${productId}
    having count(distinct price_amount) = 1`;
}
