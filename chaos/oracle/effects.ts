import { sql } from 'kysely';
import { providerReferenceOf } from '../../src/db/positions/placements.ts';
import {
  type ClientLog,
  finalEntry,
  type KeyedCalls,
  nameOf,
  partnerCompany,
} from '../clients/client-log.ts';
import { bodyOf } from '../clients/outcome.ts';
import { SHORT_RESERVE } from '../faults/short-reserve.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { ToldLine } from './bulk-orders.ts';

/** What the database has of one operation that a client may have sent. */
interface Effect {
  /** Of the operations row, `null` where there is none. */
  readonly status: string | null;
  /** Whether its transfers moved money in the end. */
  readonly moved: boolean;
  /** Id of the voucher that it generated, or number of the top-up that it tried. */
  readonly voucher: number | null;
  readonly topup: number | null;
  readonly redemption: string | null;
  readonly reference: string | null;
  /** Several where one was over, refused or expired, before its operation had been answered. */
  readonly claims: number;
}

/**
 * Compares the clients' log with the database, operation by operation (I7): every success that a
 * client was told of is there with its effect, whatever was refused has left no money anywhere, and
 * there is nothing that no client has asked for.
 */
export async function compareEffects(
  stack: ThrowawayStack,
  log: ClientLog,
  lines: readonly ToldLine[],
): Promise<string[]> {
  const effects = await readEffects(stack);
  const findings: string[] = [];
  for (const calls of log.keyed()) {
    const { company, operation, key } = calls;
    const id = stack.digests.operation({
      company,
      kind: operation,
      key,
    });
    const effect = effects.get(id);
    effects.delete(id);
    const problem = judge(calls, effect);
    if (problem) findings.push(`${nameOf(calls)} (operation ${id}): ${problem}`);
  }
  for (const { call } of log.entries) {
    // The transfer of a cancellation has the name of its voucher, whichever request it came from.
    const [, voucher] = /^\/vouchers\/(\d+)\/cancel$/.exec(call.path) ?? [];
    if (voucher) effects.delete(`cancel-voucher:${voucher}`);
  }
  for (const [id, line] of namedLines(stack, lines)) {
    const effect = effects.get(id);
    effects.delete(id);
    const problem = judgeLine(line, effect);
    if (problem) findings.push(`line ${line.reference} (operation ${id}): ${problem}`);
  }
  for (const [id, effect] of effects)
    findings.push(`operation ${id} was sent by nobody: ${JSON.stringify(effect)}`);
  return findings;
}

/** The lines by their operations; one that several orders have counts as generated if it is in any. */
function namedLines({ digests }: ThrowawayStack, lines: readonly ToldLine[]) {
  const byOperation = new Map<string, ToldLine>();
  for (const line of lines) {
    const { partnerId, reference } = line;
    const company = partnerCompany(partnerId);
    const id = digests.operation({ company, kind: 'bulk-line', key: reference });
    if (byOperation.get(id)?.voucher === undefined || line.voucher) byOperation.set(id, line);
  }
  return byOperation;
}

function judgeLine({ status, voucher }: ToldLine, effect: Effect | undefined): string | undefined {
  if (status === 'PENDING') return 'its order has ended without it';
  const isAsTold = voucher
    ? effect?.moved && effect.voucher === Number(voucher.id)
    : !effect?.moved;
  return isAsTold ? undefined : `told as ${status}, but ${JSON.stringify(effect)}`;
}

function judge(calls: KeyedCalls, effect: Effect | undefined): string | undefined {
  const final = finalEntry(calls);
  if (!final) {
    const isUnheard = calls.entries.every(({ outcome }) => outcome.kind === 'unheard');
    // A key or an account that ends in between is refused inside, where the refusal leaves its row.
    return isUnheard && effect && (effect.moved || effect.status !== 'REFUSED')
      ? `never heard, but ${JSON.stringify(effect)}`
      : undefined;
  }
  const data = bodyOf(final.response)?.data;
  if (final.outcome.kind !== 'done')
    return effect?.moved
      ? `refused (${JSON.stringify(final.outcome)}), but it moved money`
      : undefined;
  switch (calls.operation) {
    case 'initiate-claim':
      return effect?.claims ? undefined : 'acknowledged, but there is no claim';
    case 'generate-voucher':
      return effect?.moved && effect.voucher === Number(data.voucher.id)
        ? undefined
        : `acknowledged as voucher ${data.voucher.id}, but ${JSON.stringify(effect)}`;
    case 'redeem-gift':
      return effect?.moved &&
        effect.redemption === 'POSTED' &&
        effect.reference?.includes(data.platformReferenceNumber ?? data.referenceNumber)
        ? undefined
        : `acknowledged with ${JSON.stringify(data)}, but ${JSON.stringify(effect)}`;
    case 'cancel-voucher':
    case 'resend-message':
    case 'order-vouchers':
    case 'retry-topup':
      // What is cancelled already is so without a move of its own, and a retry that joined another
      // request's attempt has its answer and no attempt of its own.
      return effect?.status === 'SUCCEEDED' ? undefined : 'acknowledged, but it is not settled';
    case 'reverse-redemption':
      return effect?.moved && effect.status === 'SUCCEEDED'
        ? undefined
        : `acknowledged, but ${JSON.stringify(effect)}`;
    default:
      return effect?.moved && effect.topup === data.transactionId
        ? undefined
        : `acknowledged as top-up ${data.transactionId}, but ${JSON.stringify(effect)}`;
  }
}

/** Every operation that the database knows, by its id; deposits, expiries and faults are none. */
async function readEffects({ database }: ThrowawayStack): Promise<Map<string, Effect>> {
  const { rows } = await sql<Effect & { id: string }>`
    with moves as (
      select operation_id, account, sum(amount) as total from (
        select operation_id, credit_account_id as account, amount from ledger_transfers
        union all
        select operation_id, debit_account_id, -amount from ledger_transfers) as legs
      group by operation_id, account),
    reversed as (
      select redemptions.operation_id as payment, reversal.operation_id as reversal
      from redemption_reversals as reversal join redemptions on redemptions.id = redemption_id
      where reversal.status = 'SUCCESS'),
    -- A reversal is booked with its payment: together they move nothing in the end.
    moved as (
      select operation_id from moves where total <> 0
      union select payment from reversed
      union select reversal from reversed)
    select ids.id, operations.status,
      ids.id in (select operation_id from moved) as moved,
      (select id from vouchers where operation_id = ids.id) as voucher,
      (select topup_id from topup_attempts where operation_id = ids.id) as topup,
      redemptions.status as redemption,
      platform_reference || ' ' || coalesce(${providerReferenceOf(sql`redemptions.operation_id`)}, '') as reference,
      (select count(*) from voucher_claims where operation_id = ids.id) as claims
    from (
      select id from operations
      union select operation_id from vouchers
      union select operation_id from redemptions
      union select operation_id from topup_attempts
      union select operation_id from voucher_claims
      union select operation_id from ledger_transfers
        where not operation_id ^@ any(array['deposit:', 'expire-voucher:', ${SHORT_RESERVE}])
    ) as ids (id)
    left join operations using (id)
    left join redemptions on redemptions.operation_id = ids.id`.execute(database);
  return new Map(rows.map(({ id, ...effect }) => [id, effect]));
}
