import { type Database, firstValue } from '../db/connection.ts';
import { listProviderStates, listRoutes } from '../db/providers.ts';
import { compareListed, type ListedOrder, type LostOrder } from '../db/recovery.ts';
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

/** The payments of a statement file, by its provider. */
type GivenStatements = Readonly<
  Partial<Record<StatementProviderName, readonly ProviderStatementLine[] | undefined>>
>;

/** The operations of the providers since a time. */
export interface ComparedBooks {
  readonly comparisons: readonly ListedOrder[];
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
  const comparisons: ListedOrder[] = [];
  const gaps: string[] = [];
  const used = await usedProviders(database);
  for (const { kind, provider, port } of portsOf(listed)) {
    const { name } = provider;
    const given = statements[name];
    if (port === undefined && given === undefined) {
      if (used.has(name))
        gaps.push(
          `${name} is not set up for this command, but the workers or the routes have it: give its ` +
            'settings, as the worker process has them.',
        );
      continue;
    }
    const lines = given ?? (await listedBy(port, { kind, name, period }));
    if (lines === undefined) {
      gaps.push(
        `${name} cannot list each ${kind} that it did: give its statement with --${name}-statement.`,
      );
      continue;
    }
    const compared = await compareListed(database, provider, lines);
    comparisons.push(...compared);
    const unnamed = given ? compared.filter(isUnnamed) : [];
    if (unnamed.length > 0)
      gaps.push(
        `The statement of ${name} has ${unnamed.length} times a ${kind} without our reference: ` +
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
    name,
    period,
  }: Pick<ListedOrder, 'kind'> & { readonly name: string; readonly period: StatementPeriod },
): Promise<ProviderStatementLine[] | undefined> {
  const pages = port?.listStatement?.(period);
  if (!pages) return undefined;
  const lines: ProviderStatementLine[] = [];
  for await (const page of pages) {
    if (page.kind === 'not-listed')
      throw new AdminError(
        `${name} did not list each ${kind}, so nothing was compared: ${page.message} Try again.`,
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
  kind: ListedOrder['kind'],
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

/** The providers of value with what each does for us, and its account where it is configured. */
function portsOf({ mobileMoney, airtime }: ListedProviders) {
  const ports = new Map<string, ProviderAccount>([
    ...mobileMoney.names.map((name) => [name, mobileMoney.named(name)] as const),
    ...airtime.names.map((name) => [name, airtime.named(name)] as const),
  ]);
  return statementProviderNames.map((name) => {
    const kind = statementProviders[name];
    return {
      kind: kind === 'airtime' ? ('top-up' as const) : ('payment' as const),
      provider: { name, kind },
      port: ports.get(name),
    };
  });
}

/** The providers that running workers have, and those of routes: each may have had orders since the restored moment. */
async function usedProviders(database: Database): Promise<ReadonlySet<string>> {
  const states = await listProviderStates(database);
  const routes = (await listRoutes(database)).filter(({ is_enabled: isEnabled }) => isEnabled);
  return new Set([...states, ...routes].map(({ provider }) => provider));
}

/** It may be ours: the provider's file need not have our reference. */
const isUnnamed = ({ reference, status }: ListedOrder): boolean =>
  reference === null && status !== 'failed';

/**
 * Reads what M-Pesa paid since a moment from its organisation statement, as the reconciliation reads it.
 * Earlier rows are left out: M-Pesa exports whole days.
 *
 * @throws {AdminError} where the file is no such statement, or has no payment since then
 */
export async function readMpesaStatement(
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
  return lines;
}

/** The serial number in the description of a payment (activities/redemptions/payments.ts). */
const SERIAL_NUMBER = /\bvoucher (\S+)$/;

/** The known part of a lost payment or top-up; undefined where even its amount is unknown. */
export async function lostPaymentOf(
  database: Database,
  found: ListedOrder,
): Promise<LostOrder | undefined> {
  const { reference, currency, party = null, description } = found;
  const isOurs = currency === null || currency === CURRENCY;
  const amount = (isOurs ? found.amount : null) ?? (await packagePrice(database, found.productId));
  if (reference === null || amount === undefined) return undefined;
  const serialNumber = SERIAL_NUMBER.exec(description ?? '')?.[1] ?? null;
  return { ...found, reference, amount, party, serialNumber };
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
