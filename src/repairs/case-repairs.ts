import { z } from 'zod';
import type { Database } from '../db/connection.ts';
import { type Case, closeCase, findCase } from '../db/positions/cases.ts';
import { type LockedOrder, lockOrder, readOrder } from '../db/positions/orders.ts';
import { hasVoucherValue, refuseSettlement, settleOrder } from '../db/positions/settle.ts';
import { magnitudeOf, parseMoney } from '../domain/money.ts';
import { bearers, difference } from '../domain/positions/position.ts';
import { bearerChoices, caseTitle } from '../domain/positions/words.ts';
import { oneOf, wholeNumber } from './fields.ts';
import { repairKind } from './repair-kind.ts';

/** A case with what decides how it can be settled. */
export interface CaseFacts {
  readonly found: Case;
  /** Undefined where it is about no order of ours. */
  readonly order: LockedOrder | undefined;
  /** Whether its voucher has the value of the payment, and nobody has claimed it. */
  readonly isPayable: boolean;
}

/** Reads the facts of a case; undefined where there is none. */
export async function caseFacts(database: Database, id: string): Promise<CaseFacts | undefined> {
  const found = await findCase(database, Number(id));
  if (!found) return undefined;
  const order =
    found.subjectKind === 'order' ? await readOrder(database, found.subject) : undefined;
  return { found, order, isPayable: await isPayable(database, order) };
}

async function isPayable(database: Database, order: LockedOrder | undefined): Promise<boolean> {
  if (order?.kind !== 'payment' || order.isLost || order.position.order.creditedTo === 'partner')
    return true;
  return hasVoucherValue(database, order.operationId);
}

/** What each choice of a case would move. */
export const choicesOf = ({ order }: CaseFacts) =>
  order === undefined ? [] : bearerChoices(order.position, order.kind);

export const settleCase = repairKind({
  subject: 'case',
  name: 'settle-case',
  isFinal: true,
  title: 'Settle the case',
  button: 'Book it',
  summary:
    'Says who bears what is in suspense, or that the words of the provider are clear. Later words of the provider open a case again.',
  allowed: 'While the case is open',
  fields: z.object({
    by: oneOf(bearers, 'Who bears the amount').optional(),
    partner: wholeNumber(
      1,
      999_999_999,
      'The id of the partner, for what a restore lost',
    ).optional(),
  }),
  async lock(transaction, id) {
    const found = await findCase(transaction, Number(id));
    if (found?.subjectKind === 'order') await lockOrder(transaction, found.subject);
  },
  read: caseFacts,
  about: ({ found }) => ({
    company: found.partnerId === null ? null : { kind: 'partner', id: found.partnerId },
    voucherId: found.voucherId,
    topupId: found.topupId,
    label: `case ${found.id}: ${caseTitle(found.why, parseMoney(found.amount))}`,
  }),
  amountOf({ order }) {
    return order === undefined ? 0n : magnitudeOf(difference(order.position));
  },
  refuse({ found, order, isPayable: canPay }, { by, partner }) {
    if (order?.isLost && by === 'partner' && partner === undefined && order.partnerId === null)
      return 'A restore lost whose it is: name the partner, too.';
    return refuseSettlement(found, order, by ?? null, { isPayable: canPay });
  },
  async carryOut(transaction, { found, order }, { by, partner }, { askedBy, why, books }) {
    const choice = { by: by ?? null, partnerId: partner ?? null, actor: askedBy, note: why };
    if (order) await settleOrder(transaction, found, choice, books);
    else await closeCase(transaction, found.id, { actor: askedBy, note: why });
    const moved = choicesOf({ found, order, isPayable: true }).find((one) => one.by === by)?.moves;
    return { kind: 'done', result: moved ?? 'The case is closed. No money was moved.' };
  },
});
