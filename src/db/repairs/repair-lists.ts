import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { RepairState } from '../../domain/repairs.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { companyName } from '../catalogue/companies.ts';
import { allRows, type Database, type DatabaseTransaction, firstRow } from '../connection.ts';
import { staffName } from '../people/accounts.ts';
import { doerOf } from '../positions/placements.ts';

/** One repair; undefined where there is none. */
export const findRepair = (database: Database, id: number) =>
  database.selectFrom('repairs').selectAll().where('id', '=', id).executeTakeFirst();

/** A repair with the names that people know. */
export type ShownRepair = Awaited<ReturnType<typeof listRepairs>>[number];

const shownRepairs = (database: Database) =>
  database
    .selectFrom('repairs')
    .selectAll()
    .select([
      // People of the service; null for somebody of the command line.
      staffName('asked_by').as('asker'),
      staffName('confirmed_by').as('confirmer'),
      sql<string | null>`(select serial_number from vouchers where id = voucher_id)`.as(
        'serialNumber',
      ),
      // Of the redemption that it is about.
      sql<string | null>`(select platform_reference from redemptions
        where subject_kind = 'redemption' and redemptions.id::text = subject_id
          and redemptions.voucher_id = repairs.voucher_id)`.as('redemptionReference'),
      // Of the operation, if it is a partner's.
      sql<string | null>`(select company_name from partners
        where company_kind = 'partner' and partners.id = company_id)`.as('partner'),
    ]);

/** One repair for people; undefined where there is none. */
export const findShownRepair = (database: Database, id: number) =>
  shownRepairs(database).where('repairs.id', '=', id).executeTakeFirst();

/** The repair that a form has asked for, in whatever state it is; undefined where there is none. */
export const findRequestedRepair = (transaction: DatabaseTransaction, requestKey: string) =>
  transaction
    .selectFrom('repairs')
    .selectAll()
    .where('request_key', '=', requestKey)
    .executeTakeFirst();

/** The newest repairs: all, in one state, or of one voucher, top-up or case. */
export function listRepairs(
  database: Database,
  selection: {
    readonly state?: RepairState | undefined;
    readonly voucherId?: number | undefined;
    readonly topupId?: number | undefined;
    readonly caseId?: number | undefined;
    readonly limit: number;
  },
) {
  const { state, voucherId, topupId, caseId, limit } = selection;
  let query = shownRepairs(database).orderBy('repairs.id', 'desc').limit(limit);
  if (state !== undefined) query = query.where('state', '=', state);
  if (voucherId !== undefined) query = query.where('voucher_id', '=', voucherId);
  if (topupId !== undefined) query = query.where('topup_id', '=', topupId);
  if (caseId !== undefined)
    query = query.where(sql<boolean>`subject_kind = 'case' and subject_id = ${String(caseId)}`);
  return query.execute();
}

/** A repair that needs a workflow, with what the workflow is found by. */
export interface RepairToStart {
  readonly id: number;
  readonly operationId: string;
  readonly kind: string;
  /** Decimal string. */
  readonly amount: string;
  /** The company of the operation; null where there is none. */
  readonly company: Company | null;
  readonly companyName: string | null;
  /** Of the voucher or the top-up; null for a repair of a wallet. */
  readonly partnerId: number | null;
  readonly merchantId: number | null;
  readonly serialNumber: string | null;
  readonly topupId: number | null;
  readonly msisdn: StoredNumber | null;
}

/**
 * Repairs that are ready, and after them those whose workflow may be gone: a workflow that runs is not
 * started again. However many wait for a provider, they keep no new one waiting.
 */
export const repairsToStart = (database: Database, limit: number) =>
  allRows<RepairToStart>(database)`
    select repairs.id, repairs.operation_id as "operationId", repairs.kind, repairs.amount,
      case when company_id is not null
        then json_build_object('kind', company_kind, 'id', company_id) end as company,
      ${companyName} as "companyName",
      coalesce(vouchers.partner_id, topups.partner_id) as "partnerId",
      vouchers.merchant_id as "merchantId", serial_number as "serialNumber",
      topup_id as "topupId", coalesce(owner_msisdn, topups.msisdn) as msisdn
    from repairs left join vouchers on vouchers.id = voucher_id
    left join topups on topups.id = topup_id
    where state = 'READY'
      or state = 'RUNNING' and changed_at < (select clock_timestamp()) - interval '1 minute'
    order by state, repairs.id limit ${limit}`;

/**
 * SQL expression: a repair gives a command the authority of this company as long as it is carried out.
 */
export const isRunningRepair = (repairId: number, { kind, id }: Company) => sql<boolean>`exists (
  select from repairs where id = ${repairId} and state = 'RUNNING'
    and company_kind = ${kind} and company_id = ${id}::bigint)`;

/** The decision of a person about a payment, a top-up or a reversal whose outcome the provider does not tell. */
interface SettledByHand {
  readonly isDone: boolean;
  readonly reference: string;
}

/**
 * The decision about an operation on hold, or about its reversal under way; undefined without a decision. The decision
 * is about the provider that its person asked: it says nothing of a provider that has the order since then.
 */
export const settledByHand = (database: Database | DatabaseTransaction, operationId: string) =>
  firstRow<SettledByHand>(database)`
    select arguments ->> 'outcome' <> 'not-done' as "isDone",
      coalesce(arguments ->> 'reference', '') as reference
    from repairs
    where state = 'RUNNING' and kind in ('settle-payment', 'settle-top-up')
      and arguments ->> 'operationId' = ${operationId}
      and coalesce(arguments ->> 'provider' = ${doerOf(sql`${operationId}`)}, true)`;
