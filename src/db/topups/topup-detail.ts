import { type Selectable, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Database } from '../connection.ts';
import type { ListSource } from '../lists/list-query.ts';
import {
  providerOf,
  providerReferenceOf,
  type ShownPlacement,
  shownPlacements,
} from '../positions/placements.ts';
import type { TopupAttemptsTable } from '../schema/all-tables.ts';
import { amountOfRetry } from './topup-state.ts';
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
  /** When it was found delivered after it had failed, or taken back after it had been delivered. */
  readonly lateAt: string | null;
  readonly takenBackAt: string | null;
  readonly charged: boolean;
  readonly operationId: string;
  readonly msisdn: StoredNumber;
  readonly status: Selectable<TopupAttemptsTable>['status'];
  readonly reference: string;
  readonly provider: string;
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  readonly notDoneBy: Selectable<TopupAttemptsTable>['not_done_by'];
  /** At least one: the provider of each sending. */
  readonly placements: readonly ShownPlacement[];
}

/** A top-up with its attempts, first to last. */
export type TopupDetail = NamedTopup & {
  readonly attempts: readonly Attempt[];
  /** Decimal string: what another attempt would cost. Null for a package that was never held and is gone. */
  readonly amountOfRetry: string | null;
  /** The open case of one of its attempts; null where there is none. */
  readonly caseId: number | null;
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
      (select min(found.id) from cases as found
        where found.topup_id = topups.id and found.closed_at is null) as "caseId", (
      select coalesce(json_agg(json_build_object('attempt', try.attempt, 'at', try.created_at,
        'settledAt', settled_at, 'charged', charged,
        'lateAt', case when try.status = 'VOIDED' and is_done then changed_at end,
        'takenBackAt', case when try.status = 'POSTED' and not is_done then changed_at end,
        'operationId', try.operation_id, 'msisdn', try.msisdn, 'status', try.status,
        'reference', reference,
        'provider', ${providerOf(sql`try.operation_id`)},
        'providerReference', ${providerReferenceOf(sql`try.operation_id`)},
        'providerMessage', provider_message, 'notDoneBy', not_done_by,
        'placements', ${shownPlacements(sql`try.operation_id`)}) order by try.attempt), '[]')
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
