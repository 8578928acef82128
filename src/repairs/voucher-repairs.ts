import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import {
  correctOwner,
  extendClaimBy,
  extendVoucherUntil,
  readVoucherFacts,
  type VoucherFacts,
} from '../db/repairs/facts.ts';
import { findVoucherBySerialNumber } from '../db/vouchers/cancellation.ts';
import { endClaim, releaseClaimedVoucher } from '../db/vouchers/claims.ts';
import { lockVoucher } from '../db/vouchers/vouchers.ts';
import { parseMoney } from '../domain/money.ts';
import { hasHash, isNumberOf } from '../domain/phone.ts';
import { refuse } from '../domain/refusals.ts';
import { refusedCallWords } from '../domain/repairs.ts';
import { isCancellable, type VoucherStatus } from '../domain/vouchers/voucher.ts';
import {
  type CarriedOut,
  idNamed,
  lastDayArgument,
  numberArgument,
  type RepairContext,
  repairKind,
  wholeNumberArgument,
} from './repair-kind.ts';

/** No id has that many digits. */
const SERIAL_NUMBER = /^[0-9]{18}$/;

/** The id of a voucher by its id or its serial number; undefined where the text is neither. */
export async function voucherNamed(database: Database, given: string): Promise<string | undefined> {
  if (!SERIAL_NUMBER.test(given)) return idNamed(given);
  const id = await findVoucherBySerialNumber(database, given);
  return id === undefined ? undefined : String(id);
}

/** What repairs of a voucher share. */
const ofVoucher = {
  subject: 'voucher',
  nameOf: voucherNamed,
  lock: (transaction, subjectId) => lockVoucher(transaction, Number(subjectId)),
  read: (database, subjectId) => readVoucherFacts(database, Number(subjectId)),
  about: ({ id, serialNumber, partnerId }: VoucherFacts) => ({
    company: { kind: 'partner', id: partnerId },
    voucherId: id,
    topupId: null,
    label: `voucher ${serialNumber}`,
  }),
} as const satisfies Partial<Parameters<typeof repairKind<VoucherFacts, z.ZodObject>>[0]>;

/** The request of an operation that a repair carries out with its own authority. */
export const requestOf = ({ operationId, repairId }: RepairContext) => ({
  operationId,
  // Constant, so that a repetition is the same request.
  requestId: uuidOf(operationId),
  requestDigest: `repair ${repairId}`,
});

/** An operation's id has as many digits as a UUID. */
const uuidOf = (operationId: string): string =>
  operationId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

/** The command about a voucher that a repair gives in the place of its partner. */
const commandOf = ({ id, partnerId }: VoucherFacts, context: RepairContext) => ({
  ...requestOf(context),
  company: {
    kind: 'partner' as const,
    id: partnerId,
    credential: { repairId: context.repairId },
  },
  voucherId: id,
});

/** Why a voucher that has ended is not repaired. A cancelled one has no reason: its cancellation is done. */
const ended: Readonly<Partial<Record<VoucherStatus, string>>> = {
  REDEEMED: refusedCallWords(refuse('voucher-redeemed')),
  EXPIRED: refusedCallWords(refuse('voucher-expired')),
  CANCELLED:
    'It was cancelled, and its value is back in the gift wallet of its partner: ask the partner for a new voucher.',
};

const BEING_PAID = refusedCallWords(refuse('voucher-being-redeemed'));

const DAY_MS = 86_400_000;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** On its day (UTC) a voucher may end that is extended now. */
const lastExtension = ({
  voucherValidityDays,
}: Pick<Config['vouchers'], 'voucherValidityDays'>): number =>
  Date.now() + voucherValidityDays * DAY_MS;

export const extendVoucherRepair = repairKind({
  ...ofVoucher,
  name: 'extend-voucher',
  button: 'Move its last day',
  summary: 'The voucher stays valid until the end of a later day (UTC).',
  allowed: 'while the value of the voucher has not gone back to its partner',
  fields: z.object({ until: lastDayArgument('The last day on which it is valid') }),
  limits: ({ vouchers }) => ({ until: `Up to ${dayOf(lastExtension(vouchers))}.` }),
  movesNothing: () => true,
  amountOf: ({ value }) => parseMoney(value),
  refuse({ status, expiresAt }, { until }, { settings }) {
    const { voucherValidityDays } = settings.vouchers;
    const refusal = ended[status];
    if (refusal) return refusal;
    const latest = lastExtension(settings.vouchers);
    // Without a day the state alone decides.
    const end = until === undefined ? latest : Date.parse(until);
    if (end <= expiresAt.getTime())
      return `It is valid until ${dayOf(expiresAt.getTime())} already: name a later day.`;
    return end > latest + DAY_MS
      ? `A voucher is extended by ${voucherValidityDays} days from today at most: name an earlier day.`
      : undefined;
  },
  async carryOut(transaction, { id }, { until }) {
    await extendVoucherUntil(transaction, id, new Date(until));
    return { kind: 'done', result: `It is valid until the end of ${until.slice(0, 10)} (UTC).` };
  },
});

export const cancelVoucherRepair = repairKind({
  ...ofVoucher,
  name: 'cancel-voucher',
  isIrreversible: true,
  button: 'Cancel it for good',
  summary:
    'The value goes back to the gift wallet of the partner, and an open claim ends. This is final.',
  allowed: 'while the voucher has value, and no payment of it is under way',
  fields: z.object({}),
  amountOf: ({ value }) => parseMoney(value),
  refuse({ status, isBlocked }) {
    if (isBlocked) return 'A case of one of its payments is open: an operator settles that first.';
    if (isCancellable(status)) return undefined;
    return ended[status] ?? BEING_PAID;
  },
  carryOut: async (_transaction, facts, _args, context) => ({
    kind: 'call',
    call: { kind: 'cancel-voucher', command: commandOf(facts, context) },
  }),
});

export const correctNumberRepair = repairKind({
  ...ofVoucher,
  name: 'correct-number',
  button: 'Ask for the correction',
  summary: 'The voucher belongs to another number, which gets its codes.',
  allowed: 'before a code has gone out',
  byTwo: { why: 'the codes will go to the new number' },
  fields: z.object({ msisdn: numberArgument('The right number of the owner') }),
  sealed: ['msisdn'],
  amountOf: ({ value }) => parseMoney(value),
  refuse({ status, owner, mayHaveCode }, args, { settings, numbers }) {
    const refusal = ended[status];
    if (refusal) return refusal;
    if (owner === null) return 'It has no owner: a merchant redeems it by its code alone.';
    if (mayHaveCode)
      return 'It has been claimed, so that a code may have gone to its owner: cancel the voucher, and ask the partner for a new one.';
    // Without a number the state alone decides.
    if (args.msisdn === undefined) return undefined;
    if (hasHash(owner, numbers.hashOf(args.msisdn)))
      return 'The voucher has this number already: there is nothing to correct.';
    return isNumberOf(settings.market.servedCountries, args.msisdn)
      ? undefined
      : 'No messages are sent to the country of this number: name another number.';
  },
  async carryOut(transaction, { id: voucherId }, args, { numbers, repairId }) {
    await correctOwner(transaction, { voucherId, repairId }, numbers.store(args.msisdn));
    return { kind: 'done', result: 'The voucher belongs to the number that was given.' };
  },
});

export const resendMessageRepair = repairKind({
  ...ofVoucher,
  name: 'resend-message',
  button: 'Send it again',
  summary:
    'The owner gets the code of the open claim again, or else the confirmation of the last payment that did not arrive.',
  allowed: 'with an open claim, or after a payment without a delivered confirmation',
  fields: z.object({}),
  amountOf: () => 0n,
  refuse({ status, owner, hasMessage, isClaimOver }) {
    if (status === 'REDEEM_PROCESSING')
      return 'A payment of it is under way: its code was used. Wait for its end, or settle it.';
    if (owner === null)
      return 'It has no owner who could get a message: a merchant redeems it by its code alone.';
    if (isClaimOver) return 'The time of its claim is over: the merchant claims again.';
    return hasMessage
      ? undefined
      : 'It has neither an open claim nor a payment: the merchant claims, and a code is sent.';
  },
  carryOut: async (_transaction, facts, _args, context) => ({
    kind: 'call',
    call: { kind: 'resend-message', command: commandOf(facts, context) },
  }),
});

const LONGEST_MINUTES = 60;

/** A claim is named by its voucher, and a later claim is another repair. */
const ofClaim = {
  ...ofVoucher,
  bind: ({ claimId }: VoucherFacts) => ({ claimId }),
  amountOf: () => 0n,
} as const;

/** Why a claim is not there to be repaired. */
function refuseWithoutClaim({ status, claimId }: VoucherFacts): string | undefined {
  if (status === 'REDEEM_PROCESSING') return BEING_PAID;
  return claimId === null ? 'It has no open claim: the merchant claims again.' : undefined;
}

export const extendClaimRepair = repairKind({
  ...ofClaim,
  name: 'extend-claim',
  button: 'Keep it open',
  summary: 'The owner has more time to give the code to the merchant.',
  allowed: 'while the claim is open and its time is not over',
  limits: () => ({ minutes: `From 1 to ${LONGEST_MINUTES}.` }),
  fields: z.object({
    minutes: wholeNumberArgument(
      1,
      LONGEST_MINUTES,
      'The minutes from now that it stays open at least',
    ),
  }),
  refuse: (facts) =>
    refuseWithoutClaim(facts) ??
    (facts.isClaimOver
      ? 'The time of the claim is over: the merchant claims again. If it hangs, release it first.'
      : undefined),
  async carryOut(transaction, { claimId }, { minutes }) {
    await extendClaimBy(transaction, claimId ?? '', minutes);
    return { kind: 'done', result: `The claim stays open for ${minutes} minutes at least.` };
  },
});

/** Ends the claim, and frees its voucher. */
async function end(
  transaction: DatabaseTransaction,
  { claimId }: VoucherFacts,
  status: 'CANCELLED' | 'EXPIRED',
): Promise<CarriedOut> {
  await releaseClaimedVoucher(transaction, claimId ?? '');
  await endClaim(transaction, claimId ?? '', status);
  return {
    kind: 'done',
    result: 'The claim has ended. The voucher is free, and the merchant can claim again.',
  };
}

export const cancelClaimRepair = repairKind({
  ...ofClaim,
  name: 'cancel-claim',
  button: 'End the claim',
  summary:
    'The claim ends, and its code pays nothing any more. The voucher is free for a new claim.',
  allowed: 'while the claim is open',
  endsClaim: true,
  fields: z.object({}),
  refuse: (facts) =>
    refuseWithoutClaim(facts) ??
    (facts.isClaimOver ? 'The time of the claim is over: release it instead.' : undefined),
  carryOut: (transaction, facts) => end(transaction, facts, 'CANCELLED'),
});

export const releaseClaimRepair = repairKind({
  ...ofClaim,
  name: 'release-claim',
  button: 'End the claim at once',
  summary:
    'The time of the claim is over, but the claim still keeps the voucher. The claim ends at once.',
  allowed: 'when the time of the claim is over, and the claim still keeps the voucher',
  endsClaim: true,
  fields: z.object({}),
  refuse: (facts) =>
    refuseWithoutClaim(facts) ??
    (facts.isClaimOver
      ? undefined
      : 'The claim does not hang, its time is not over: wait, or cancel the claim.'),
  carryOut: (transaction, facts) => end(transaction, facts, 'EXPIRED'),
});
