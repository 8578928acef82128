import { sql } from 'kysely';
import { expect } from 'vitest';
import { requestFailoverInquiry } from '../../../src/db/providers/failover-inquiries.ts';
import { listOpenCases } from '../../../src/db/reconciliation/cases.ts';
import { redemptions, topUp } from '../../admin/movements.ts';
import { inAttempt, notSent, type TwoProviders, unknown } from '../providers/two-providers.ts';

export type FailedOver = ReturnType<typeof failedOverTo>;

/** Payments and top-ups that the first of two providers did not take, so that the second one was asked. */
export function failedOverTo(two: TwoProviders) {
  /** The errors that the reconciliation has logged. */
  const logged: string[] = [];
  const reconcile = () =>
    inAttempt(
      1,
      () => two.activities().recheckDue(),
      (message) => logged.push(message),
    );

  return {
    logged,
    reconcile,

    /** A payment; without an ending its outcome at the second provider is unknown. */
    async failedOver(ending?: 'post' | 'void') {
      const operationId = await two.hold();
      two.answers.first = () => notSent;
      if (ending !== 'post') two.answers.second = () => unknown;
      await two.pay(operationId);
      if (ending) await redemptions(two.scene.database, two.catalogue)[ending](operationId);
      const { payment_reference: reference } = await two.scene.database
        .selectFrom('redemptions')
        .select('payment_reference')
        .where('operation_id', '=', operationId)
        .executeTakeFirstOrThrow();
      two.asked.length = 0;
      return { operationId, reference };
    },

    /** A top-up whose outcome at the second provider is unknown. */
    async failedOverTopUp() {
      const topupId = await topUp(two.scene.database, two.catalogue.partnerId, '50');
      const { operation_id: operationId, reference } = await two.scene.database
        .selectFrom('topup_attempts')
        .select(['operation_id', 'reference'])
        .where('topup_id', '=', topupId)
        .executeTakeFirstOrThrow();
      two.answers.first = () => notSent;
      two.answers.second = () => unknown;
      await inAttempt(1, () => two.activities().sendTopUp(operationId, 1, true));
      return { topupId, operationId, reference };
    },

    /** The first provider calls back, and the reconciliation runs. */
    async calledBack(operationId: string, provider = 'gsma') {
      expect(await requestFailoverInquiry(two.scene.database, operationId, provider)).toBe(true);
      await reconcile();
    },

    /** "suspense → mobile-money-clearing 487.50", in their order. */
    async movedBeside(reference: string): Promise<string[]> {
      const { rows } = await sql<{ moved: string }>`
        select debit.kind || ' → ' || credit.kind || ' ' || amount::numeric(20, 2) as moved
        from ledger_transfers as transfer
        join ledger_accounts as debit on debit.id = debit_account_id
        join ledger_accounts as credit on credit.id = credit_account_id
        where (operation_id like ${`double:${reference}:%`}
          or step = 'late-success' and operation_id in (
            select operation_id from redemptions where payment_reference::text = ${reference}
            union all select operation_id from topup_attempts where reference = ${reference}))
        order by transfer.id`.execute(two.scene.database);
      return rows.map(({ moved }) => moved);
    },

    casesOf: async (reference: string) =>
      (await listOpenCases(two.scene.database))
        .filter((one) => one.reference.startsWith(reference))
        .map(({ kind, provider, amount }) => `${kind} at ${provider}: ${Number(amount)}`),
  };
}
