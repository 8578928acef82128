import { type Selectable, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Database } from '../connection.ts';
import type { ListSource } from '../lists/list-query.ts';
import { type Failover, failoversOf } from '../providers/provider-failovers.ts';
import type { TopupAttemptsTable } from '../schema/all-tables.ts';
import { amountOfRetry, hasDisputedAttempt } from './topup-state.ts';
import { type ListedTopup, topupSource } from './topups.ts';

const productName = sql`(select product_name from products where products.id = product_id)
  as "productName"`;

/** A top-up with the name of its package, if it has one. */
export type NamedTopup = ListedTopup & { readonly productName: string | null };

/** The list of top-ups, with the names of packages. */
export const namedTopupSource: ListSource<NamedTopup> = {
  ...topupSource,
  select: sql`${topupSource.select}, ${productName}`,
};

/** Times are texts in ISO 8601. */
interface Attempt {
  readonly attempt: number;
  readonly at: string;
  readonly settledAt: string | null;
  readonly contradictedAt: string | null;
  readonly reversedAt: string | null;
  readonly settledBy: Selectable<TopupAttemptsTable>['settled_by'];
  readonly operationId: string;
  readonly msisdn: StoredNumber;
  readonly status: Selectable<TopupAttemptsTable>['status'];
  readonly reference: string;
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  readonly notDoneBy: Selectable<TopupAttemptsTable>['not_done_by'];
  readonly provider: string;
  readonly failovers: readonly Failover[];
}

/** A top-up with its attempts, first to last. */
export type TopupDetail = NamedTopup & {
  readonly attempts: readonly Attempt[];
  /** Decimal string: what another attempt would cost. Null for a package that was never held and is gone. */
  readonly amountOfRetry: string | null;
  /** What a provider says of one of its attempts is not clear. */
  readonly isDisputed: boolean;
};

/**
 * A partner's top-up with its attempts in one snapshot; a top-up of another partner is not found.
 */
export async function findTopupDetail(
  database: Database,
  partnerId: number,
  topupId: number,
): Promise<TopupDetail | undefined> {
  const { rows } = await sql<TopupDetail>`
    select ${namedTopupSource.select}, ${amountOfRetry} as "amountOfRetry",
      ${hasDisputedAttempt} as "isDisputed", (
      select coalesce(json_agg(json_build_object('attempt', try.attempt, 'at', try.created_at,
        'settledAt', settled_at, 'contradictedAt', contradicted_at,
        'reversedAt', reversed_at, 'settledBy', settled_by,
        'operationId', try.operation_id, 'msisdn', try.msisdn, 'status', try.status,
        'reference', reference, 'providerReference', try.provider_reference,
        'providerMessage', provider_message, 'notDoneBy', not_done_by,
        'provider', try.provider,
        'failovers', ${failoversOf('operation_id', sql`try.operation_id`)}
        ) order by try.attempt), '[]')
      from topup_attempts as try where try.topup_id = topups.id) as attempts
    from topups where id = ${topupId} and ${topupSource.where(partnerId)}`.execute(database);
  return rows[0];
}

/** A partner's top-up with its current state; a top-up of another partner is not found. */
export async function findListedTopup(
  database: Database,
  partnerId: number,
  topupId: number,
): Promise<ListedTopup | undefined> {
  const { rows } = await sql<ListedTopup>`
    select ${topupSource.select} from topups
    where id = ${topupId} and ${topupSource.where(partnerId)}`.execute(database);
  return rows[0];
}
