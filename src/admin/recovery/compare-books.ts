import type { Database } from '../../db/connection.ts';
import { findKnown, type KnownPlacement } from '../../db/recovery/found-placements.ts';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
} from '../../domain/providers/provider-names.ts';
import type { Airtime } from '../../providers/airtime/airtime.ts';
import type { MobileMoney } from '../../providers/mobile-money/mobile-money.ts';
import type { ProviderSet } from '../../providers/provider-set.ts';
import type { ProviderTransaction, TransactionList } from '../../providers/transaction-list.ts';
import { AdminError } from '../admin-error.ts';

/** The providers whose books are compared with ours. */
export interface ListedProviders {
  readonly mobileMoney: ProviderSet<MobileMoneyProviderName, MobileMoney>;
  readonly airtime: ProviderSet<AirtimeProviderName, Airtime>;
}

/**
 * How a transaction of a provider stands in our books. lost: the provider did it, or may do it, and
 * our row is gone. open: on hold, its workflow asks the provider. differs: our row says otherwise.
 * agrees: our row says the same, or there is neither a row nor an effect. recovered: it is booked in
 * suspense. foreign: it has no reference of ours, or not our currency.
 */
type Verdict = 'lost' | 'open' | 'differs' | 'agrees' | 'recovered' | 'foreign';

/** A transaction of a provider, compared with our books. */
export interface ComparedTransaction extends ProviderTransaction {
  readonly kind: 'payment' | 'top-up';
  readonly provider: string;
  readonly verdict: Verdict;
}

/** What a provider did, by its statement as a file, by its name. */
export type GivenStatements = Readonly<
  Record<string, Extract<TransactionList, { kind: 'listed' }> | undefined>
>;

/** What the providers did since a time. */
export interface ComparedBooks {
  readonly comparisons: readonly ComparedTransaction[];
  /** Providers that cannot list, and what cannot be booked, in words for the operator. */
  readonly gaps: readonly string[];
}

/** ETB is the only currency of our books. */
const CURRENCY = 'ETB';

/**
 * Lists what the providers did since a time and compares it with our books.
 *
 * @throws {AdminError} where a provider that can list did not do so completely
 */
export async function compareBooks(
  database: Database,
  { mobileMoney, airtime }: ListedProviders,
  { since, statements = {} }: { readonly since: Date; readonly statements?: GivenStatements },
): Promise<ComparedBooks> {
  const comparisons: ComparedTransaction[] = [];
  const gaps: string[] = [];
  for (const { kind, provider, port } of [
    ...portsOf('payment', mobileMoney),
    ...portsOf('top-up', airtime),
  ]) {
    const given = statements[provider];
    const list = given ?? (await port.listTransactions?.(since));
    if (list === undefined) {
      gaps.push(
        `${provider} cannot list each ${kind} that it did: give its statement with --${provider}-statement.`,
      );
      continue;
    }
    if (list.kind === 'not-listed')
      throw new AdminError(
        `${provider} did not list each ${kind}, so nothing was compared: ${list.message} Try again.`,
      );
    const transactions = kind === 'payment' ? list.transactions.map(asOurs) : list.transactions;
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

/** References of payments are UUIDs, which a provider may write in capitals. */
const asOurs = (found: ProviderTransaction): ProviderTransaction => ({
  ...found,
  reference: found.reference?.toLowerCase() ?? null,
});

/** The configured providers of a kind. */
const portsOf = <Name extends string>(
  kind: ComparedTransaction['kind'],
  set: ProviderSet<Name, Pick<MobileMoney, 'listTransactions'>>,
) =>
  set.names.map((provider) => ({
    kind,
    provider,
    port: set.named(provider),
  }));

/** It may be ours: the provider's file need not have our reference. */
const isUnnamed = ({ reference, status }: ComparedTransaction): boolean =>
  reference === null && status !== 'failed';

/** How a transaction stands, by our placements: another provider may have done what this one says. */
function verdictOf(
  { reference, status, currency }: ProviderTransaction,
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
