import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createNumberHash } from '../../src/crypto/phone-numbers.ts';
import { providerOf } from '../../src/db/positions/placements.ts';
import { askRepair } from '../../src/repairs/ask-repair.ts';
import { settlePaymentRepair } from '../../src/repairs/payment-repairs.ts';
import type { ProviderBooks } from '../settle-pending.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';

/** Longer than a slow provider takes to begin with a request. */
const LOST_AFTER_SECONDS = 15;

/**
 * What an operator does who finds a payment on hold that M-Pesa's portal does not have: M-Pesa cannot
 * say that it never saw one, and nothing sends it again, so a repair books it as not done.
 */
export async function settleLostPayments(
  { database, config }: Pick<ThrowawayStack, 'database' | 'config'>,
  { payouts }: ProviderBooks,
): Promise<void> {
  const { rows } = await sql<{ id: number; reference: string }>`
    select id, payment_reference::text as reference from redemptions
    where status = 'HELD' and ${providerOf(sql`redemptions.operation_id`)} = 'mpesa'
      and created_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})`.execute(database);
  const basis = {
    settings: config,
    numbers: { hashOf: createNumberHash(config.secrets.digestKey) },
  };
  const taken = new Set(payouts.map(({ reference }) => reference));
  for (const { id, reference } of rows.filter((row) => !taken.has(row.reference)))
    await database.transaction().execute(async (transaction) => {
      const kind = settlePaymentRepair;
      const seen = await kind.judge(transaction, String(id), {}, basis);
      return askRepair(
        transaction,
        {
          kind,
          subjectId: String(id),
          args: { outcome: 'not-done', reference: `portal ${reference.slice(0, 8)}` },
          why: 'Not in the portal of M-Pesa',
          actor: 'chaos',
          requestKey: randomUUID(),
          binding: seen?.binding ?? '',
        },
        {
          ...basis,
          secretBox: () => {
            throw new Error('The repair has no personal arguments');
          },
        },
      );
    });
}
