import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../db/connection.ts';
import { partnerBalances, serviceFeesBalance } from '../db/ledger/ledger.ts';
import { hasVoucherValue, refuseSettlement, settleOrder } from '../db/positions/book.ts';
import { type Case, closeCase, findCase } from '../db/positions/cases.ts';
import { type LockedOrder, lockOrderIfAny, readOrder } from '../db/positions/orders.ts';
import { type PaymentFacts, paymentFacts, redemptionIdOf } from '../db/repairs/facts.ts';
import { isBeingReversed } from '../db/vouchers/reversals.ts';
import { lockVoucher } from '../db/vouchers/vouchers.ts';
import { magnitudeOf, parseMoney } from '../domain/money.ts';
import {
  afterChoice,
  type BearerChoice,
  type BorneOrder,
  bearerChoices,
  bearerQuestion,
  caseTitle,
  differenceWords,
  type SettledCase,
  whyNoPayer,
} from '../domain/positions/case-texts.ts';
import { type Bearer, bearers, difference } from '../domain/positions/position.ts';
import { providerName, takesBack } from '../domain/providers.ts';
import { type Decision, decisionFields, ofDecision } from './ask-repair.ts';
import {
  bindingOf,
  choiceArgument,
  idArgument,
  referenceArgument,
  repairKind,
} from './repair-kind.ts';
import { requestOf } from './voucher-repairs.ts';

const ofPayment = {
  subject: 'redemption',
  nameOf: redemptionIdOf,
  lock: async (transaction, subjectId) => {
    const facts = await paymentFacts(transaction, Number(subjectId));
    return facts && lockVoucher(transaction, facts.voucherId);
  },
  read: (database, subjectId) => paymentFacts(database, Number(subjectId)),
  amountOf: ({ amount }: PaymentFacts) => parseMoney(amount),
} as const satisfies Partial<Parameters<typeof repairKind<PaymentFacts, z.ZodObject>>[0]>;

const labelOf = ({ reference, serialNumber }: PaymentFacts) =>
  `redemption ${reference} of voucher ${serialNumber}`;

/** The operation that a person can settle: the reversal under way, or else the payment. */
const settledOf = ({ operationId, pendingReversal }: PaymentFacts) =>
  pendingReversal ?? operationId;

/** A provider's answer about a payment that is not on hold is settled as a case, and by nothing else. */
export const openCaseOf = (caseId: number): string =>
  `Case ${caseId} of it is open: an operator settles that first.`;

const TAKEN_BACK =
  'was taken back already: the case says where its value is. Nothing is left to do.';

/** Under another reference, what the provider has told already would count as a further reversal. */
const toldUnderAnother = (
  { toldReversals }: Pick<PaymentFacts, 'toldReversals'>,
  { outcome, reference }: Decision,
): string | undefined =>
  outcome !== 'done' || toldReversals.length === 0 || toldReversals.includes(reference)
    ? undefined
    : `The provider has told of this reversal under ${toldReversals.join(' and ')}: give that reference.`;

/** Of a payment that the provider made after another answer, or in part. */
const BORNE = 'The case says who pays for it, and only the merchant can pay it back.';

export const settlePaymentRepair = repairKind({
  ...ofPayment,
  ...ofDecision(ofPayment, (facts) => ({
    of: 'redemption',
    operationId: facts.operationId,
    settles: settledOf(facts),
  })),
  name: 'settle-payment',
  isIrreversible: true,
  button: 'Book the answer',
  summary:
    'Books what the provider told you of the payment, or of the reversal that is under way, when its system does not answer or has other content. If the system answers before that, its answer stands. It is final.',
  allowed: 'while the payment is on hold, or its reversal is under way',
  about: (facts) => ({
    company: { kind: 'partner', id: facts.partnerId },
    voucherId: facts.voucherId,
    topupId: null,
    label: `${facts.pendingReversal === null ? '' : 'reversal of '}${labelOf(facts)}`,
  }),
  fields: decisionFields('Did the provider do it: the payment, or the reversal under way?'),
  // A payment that went to another provider meanwhile is another question.
  bind: (facts) => ({ operationId: settledOf(facts), provider: facts.provider }),
  refuse({ status, isPaid, isReturnable, isReversed, usedBefore, ...facts }, args) {
    const { caseId, providerReference, pendingReversal } = facts;
    if (status === 'HELD' || pendingReversal !== null)
      return usedBefore ?? toldUnderAnother(facts, args);
    if (caseId !== null) return openCaseOf(caseId);
    if (isReversed) return `It was paid under ${providerReference}, and ${TAKEN_BACK}`;
    return isPaid
      ? `It was paid under ${providerReference}: there is nothing to settle. ${isReturnable ? 'To take it back, reverse the redemption.' : BORNE}`
      : 'It was not paid, and the value is back on the voucher: the merchant claims again. A late payment becomes a case by itself.';
  },
  async carryOut(_transaction, { operationId: payment }, _args, { bound }) {
    const operationId = String(bound.operationId);
    const of = operationId === payment ? 'redemption' : 'reversal';
    return { kind: 'call', call: { kind: 'settle', of, operationId } };
  },
});

export const reverseRedemptionRepair = repairKind({
  ...ofPayment,
  name: 'reverse-redemption',
  isIrreversible: true,
  button: 'Take the payment back',
  summary:
    'The provider takes the payment back from the merchant, and the value returns to the voucher. The merchant must have agreed. This is final.',
  allowed: 'when the merchant was paid, and the provider can take a payment back',
  about: (facts) => ({
    company: { kind: 'merchant', id: facts.merchantId },
    voucherId: facts.voucherId,
    topupId: null,
    label: labelOf(facts),
  }),
  fields: z.object({
    consent: referenceArgument('How the merchant agreed: who, and when', {
      placeholder: 'text',
      example: '"The owner of the shop, by letter"',
    }),
  }),
  byTwo: {
    why: 'the time within which the merchant may reverse it is over',
    when: ({ secondsSincePayment }, _args, { settings }) =>
      secondsSincePayment > settings.vouchers.reversalWindowSeconds,
  },
  refuse({ status, isPaid, isReturnable, isReversed, pendingReversal, caseId, provider }) {
    if (caseId !== null) return openCaseOf(caseId);
    if (isReversed) return `It ${TAKEN_BACK}`;
    if (pendingReversal !== null)
      return 'A reversal of it is under way: wait for its end, or settle it.';
    if (isPaid && !isReturnable) return `It was paid after another answer, or in part. ${BORNE}`;
    if (isPaid)
      return provider === null || takesBack(provider)
        ? undefined
        : `${providerName(provider)} takes no payment back: ask the merchant to pay it back.`;
    return status === 'HELD'
      ? 'Its payment is not known yet: wait for its end, or settle it.'
      : 'It was not paid, so there is nothing to take back: its value is on the voucher, for the right merchant to claim.';
  },
  carryOut: async (_transaction, { id, merchantId }, _args, context) => ({
    kind: 'call',
    call: {
      kind: 'reverse-redemption',
      command: {
        ...requestOf(context),
        company: { kind: 'merchant', id: merchantId, credential: { repairId: context.repairId } },
        redemptionId: id,
        reason: null,
      },
    },
  }),
});

/** A case with what decides how it can be settled. */
export interface CaseFacts {
  readonly found: Case;
  /** Undefined where it is about no order of ours. */
  readonly order: LockedOrder | undefined;
  /** Whether its voucher has the value of the payment, and is not claimed. */
  readonly isPayable: boolean;
  /** Its merchant has a reversal under way, which gives its value back to the payer. */
  readonly isBeingReversed: boolean;
}

/** Reads the facts of a case; undefined where there is none. */
export async function caseFacts(database: Database, id: string): Promise<CaseFacts | undefined> {
  const found = await findCase(database, Number(id));
  if (!found) return undefined;
  const order =
    found.subjectKind === 'order' ? await readOrder(database, found.subject) : undefined;
  return {
    found,
    order,
    isPayable: await isPayable(database, order),
    isBeingReversed: order !== undefined && (await isBeingReversed(database, order.operationId)),
  };
}

async function isPayable(database: Database, order: LockedOrder | undefined): Promise<boolean> {
  if (order?.kind !== 'payment' || order.isLost || order.position.order.creditedTo === 'partner')
    return true;
  return hasVoucherValue(database, order.operationId);
}

/** The order of a case, as its texts need it; undefined where it is about no order of ours. */
const borneBy = ({ found, order, isPayable }: CaseFacts): BorneOrder | undefined =>
  order && {
    ...order,
    isPayable,
    names: { ...found, provider: found.provider && providerName(found.provider) },
  };

/** A case as a person has settled it; undefined where no person did, or nothing was in suspense. */
export const settledCase = ({
  difference,
  borneBy,
  amount,
  merchantId,
  ...names
}: Case): SettledCase | undefined =>
  difference === null || borneBy === null
    ? undefined
    : {
        kind: merchantId === null ? 'top-up' : 'payment',
        difference,
        by: borneBy,
        amount: parseMoney(amount),
        names: { ...names, provider: names.provider && providerName(names.provider) },
      };

/** What stands in suspense in a case, in a sentence; undefined where nothing does. */
export function happenedIn(facts: CaseFacts): string | undefined {
  const borne = borneBy(facts);
  return borne && difference(borne.position) !== 0n ? differenceWords(borne) : undefined;
}

/** What each choice of a case would move. */
const choicesOf = (facts: CaseFacts): readonly BearerChoice[] => {
  const borne = borneBy(facts);
  return borne ? bearerChoices(borne) : [];
};

/** The choices of a case for the person who chooses. */
export interface ShownChoices {
  readonly choices: readonly (Pick<BearerChoice, 'by' | 'moves'> &
    ReturnType<typeof afterChoice>)[];
  /** Why the payer is none of them, where others are. */
  readonly whyNoPayer: string | undefined;
  /** What stands in suspense, and the question of who bears it; undefined where nothing does. */
  readonly happened: string | undefined;
  readonly question: string | undefined;
}

const NO_CHOICES: ShownChoices = {
  choices: [],
  whyNoPayer: undefined,
  happened: undefined,
  question: undefined,
};

/** Reads them with the balances that they change. */
export async function shownChoicesOf(database: Database, facts: CaseFacts): Promise<ShownChoices> {
  const { order } = facts;
  const borne = borneBy(facts);
  const choices = choicesOf(facts);
  if (!order || !borne || choices.length === 0) return NO_CHOICES;
  const wallets =
    order.partnerId === null ? undefined : await partnerBalances(database, order.partnerId);
  const balances = {
    fees: await serviceFeesBalance(database),
    wallet: wallets && parseMoney(order.kind === 'payment' ? wallets.gift : wallets.airtime),
  };
  return {
    choices: choices.map((choice) => ({
      by: choice.by,
      moves: choice.moves,
      ...afterChoice(order, choice, balances),
    })),
    whyNoPayer: whyNoPayer(borne),
    happened: happenedIn(facts),
    question: bearerQuestion(borne),
  };
}

/**
 * An open case follows the words of the provider: another amount, or another message, is another settlement. That there
 * was no message is a fact, too: the asker has not seen one that comes later.
 */
const boundOfCase = ({ found: { amount, message } }: CaseFacts) => ({
  amount,
  said: message === null ? 'none' : createHash('sha256').update(message).digest('hex').slice(0, 8),
});

/** The amount and the message that a form or a command settles. */
export const bindingOfCase = (facts: CaseFacts): string => bindingOf(boundOfCase(facts));

const effectOf = (facts: CaseFacts, { by }: { readonly by?: Bearer | undefined }) =>
  choicesOf(facts).find((one) => one.by === by)?.moves;

export const settleCaseRepair = repairKind({
  subject: 'case',
  name: 'settle-case',
  isIrreversible: true,
  button: 'Book it',
  summary:
    'Says who bears the amount in suspense, or that the answer of the provider is clear now. A later answer of the provider opens a case again.',
  allowed: 'while the case is open',
  fields: z.object({
    by: choiceArgument(bearers, 'Who bears the amount in suspense').optional(),
    partner: idArgument(
      'The id of the partner of a payment or top-up that a restore lost',
    ).optional(),
  }),
  async lock(transaction, id) {
    const found = await findCase(transaction, Number(id));
    if (found?.subjectKind === 'order') await lockOrderIfAny(transaction, found.subject);
  },
  read: caseFacts,
  about: ({ found }) => ({
    company: found.partnerId === null ? null : { kind: 'partner', id: found.partnerId },
    voucherId: found.voucherId,
    topupId: found.topupId,
    label: `case ${found.id}: ${caseTitle(found)}`,
  }),
  bind: boundOfCase,
  amountOf({ order }) {
    return order === undefined ? 0n : magnitudeOf(difference(order.position));
  },
  refuse({ found, order, isPayable: canPay, isBeingReversed: returns }, { by, partner }) {
    if (returns && by !== undefined && by !== 'payer')
      return 'A reversal of it is under way, which credits the payer: choose the payer, or wait for its end.';
    if (order?.isLost && by === 'partner' && partner === undefined && order.partnerId === null)
      return 'A restore lost whose it is: name the partner, too.';
    return refuseSettlement(found, order, by ?? null, canPay);
  },
  effectOf,
  async carryOut(transaction, facts, { by, partner }, { askedBy, why, books }) {
    const { found, order } = facts;
    const choice = { by: by ?? null, partnerId: partner ?? null, actor: askedBy, note: why };
    if (order) await settleOrder(transaction, found, choice, books);
    else await closeCase(transaction, found.id, { actor: askedBy, note: why, borneBy: null });
    const result = effectOf(facts, { by }) ?? 'The case is closed. No money was moved.';
    return { kind: 'done', result };
  },
});
