import { sql } from 'kysely';
import type { Operator } from '../../domain/operator.ts';
import type { Route, RouteKind } from '../../domain/providers/routes.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { addFailover } from './provider-failovers.ts';
import { routesFor, routesOfTopup } from './provider-routes.ts';

/** A payment or an attempt of a top-up on hold. */
export interface Placed {
  readonly subject: 'payment' | 'top-up';
  readonly operationId: string;
}

/** What the choice of another provider for it depends on. */
interface Placement {
  readonly kind: RouteKind;
  readonly routes: readonly Route[];
  /** Decimal string. */
  readonly amount: string;
  readonly operator: Operator | null;
  /** Of a payment to a phone number. */
  readonly payeeNumber: string | null;
  /** The providers that were asked before the present one. */
  readonly asked: readonly string[];
  /** A restore has found it at its provider. */
  readonly isRecovered: boolean;
}

const asked = (operationId: string) => sql`
  array(select from_provider from provider_failovers where operation_id = ${operationId}) as asked`;

/**
 * Reads it; undefined where it is no longer on hold, and where its outcome has been unknown: a workflow
 * that was reset sends again what may have arrived.
 */
export async function findPlacement(
  database: Database,
  { subject, operationId }: Placed,
): Promise<Placement | undefined> {
  const payoutRoutes = routesFor('payout', {
    partnerId: sql`vouchers.partner_id`,
    merchantId: sql`redemptions.merchant_id`,
  });
  const { rows } =
    subject === 'payment'
      ? await sql<Placement>`
          select 'payout' as kind, ${payoutRoutes} as routes, to_merchant as amount,
            null as operator,
            case when payee->0->>'key' = 'msisdn' then payee->0->>'value' end as "payeeNumber",
            exists (select from recovered_payments
              where reference = payment_reference::text) as "isRecovered",
            ${asked(operationId)}
          from redemptions join vouchers on vouchers.id = voucher_id
          where redemptions.operation_id = ${operationId} and redemptions.status = 'HELD'
            and unknown_since is null`.execute(database)
      : await sql<Placement>`
          select case topups.kind when 'PACKAGE' then 'topup-package' else 'topup-airtime' end as kind,
            ${routesOfTopup} as routes,
            topups.amount, topups.operator, null as "payeeNumber",
            exists (select from recovered_payments
              where recovered_payments.reference = try.reference) as "isRecovered",
            ${asked(operationId)}
          from topup_attempts as try join topups on topups.id = topup_id
          where try.operation_id = ${operationId} and try.status = 'HELD'
            and topups.status <> 'UNKNOWN'`.execute(database);
  return rows[0];
}

/** Locks the top-up of an attempt: whether its outcome is unknown stands in its row. */
const lockTopupOf = (transaction: DatabaseTransaction, { operationId }: Placed) =>
  sql`
    select from topups where id = (
      select topup_id from topup_attempts where operation_id = ${operationId})
    for no key update`.execute(transaction);

/**
 * Names another provider in the row of a payment or top-up, and records why. False where the row
 * names another one by now, is no longer on hold, or may have been sent by another attempt meanwhile:
 * then nothing may be sent.
 */
export const switchProvider = (
  database: Database,
  switched: Placed & {
    readonly from: string;
    readonly to: string;
    readonly message: string;
    readonly isAskedLater: boolean;
  },
): Promise<boolean> =>
  database.transaction().execute(async (transaction) => {
    const { subject, operationId, from, to, message, isAskedLater } = switched;
    const isPayment = subject === 'payment';
    if (!isPayment) await lockTopupOf(transaction, switched);
    const table = sql.table(isPayment ? 'redemptions' : 'topup_attempts');
    const isUnknown = isPayment
      ? sql`unknown_since is not null`
      : sql`exists (select from topups where id = topup_id and topups.status = 'UNKNOWN')`;
    const { numAffectedRows } = await sql`
      update ${table} set provider = ${to}${isPayment ? sql`, sending_since = null` : sql``}
      where operation_id = ${operationId} and status = 'HELD' and not ${isUnknown}
        and provider = ${from}`.execute(transaction);
    if (numAffectedRows !== 1n) return false;
    await addFailover(transaction, { operationId, from, to, message, isAskedLater });
    return true;
  });
