import { type RawBuilder, sql } from 'kysely';
import type { ReversalState } from '../../domain/vouchers/reversal.ts';

/** The newest reversal of a redemption, for people; times are texts in ISO 8601. */
export interface ShownReversal {
  readonly status: ReversalState;
  readonly requestedAt: string;
  readonly settledAt: string | null;
  readonly reason: string | null;
  /** Where the value went. */
  readonly creditedTo: 'voucher' | 'gift' | null;
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  readonly operationId: string;
  /** Support asked for it, and not the merchant. */
  readonly isRepair: boolean;
}

/** SQL expression: the newest reversal of a redemption as JSON; null where there is none. */
export const newestReversal = (redemptionId: RawBuilder<unknown>) => sql<ShownReversal | null>`(
  select json_build_object('requestedAt', newest.created_at, 'settledAt', newest.settled_at,
    'status', case when newest.needs_action_since is null then newest.status
      else 'NEEDS_ACTION' end,
    'reason', newest.reason, 'creditedTo', newest.credited_to,
    'providerReference', newest.provider_reference, 'providerMessage', newest.provider_message,
    'operationId', newest.operation_id,
    'isRepair', exists (select from repairs where repairs.operation_id = newest.operation_id))
  from redemption_reversals as newest where newest.redemption_id = ${redemptionId}
  order by newest.id desc limit 1)`;
