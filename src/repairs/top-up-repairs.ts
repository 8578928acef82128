import { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Database } from '../db/connection.ts';
import { type TopupFactsForRepair, topupFactsForRepair } from '../db/repairs/facts.ts';
import { findRepair } from '../db/repairs/repair-lists.ts';
import { lockTopup } from '../db/topups/topups.ts';
import { parseMoney } from '../domain/money.ts';
import { hasHash, operatorOf } from '../domain/phone.ts';
import { airtimeProviderNames, isRoutedTo } from '../domain/providers.ts';
import { decisionFields, ofDecision } from './ask-repair.ts';
import { openCaseOf } from './payment-repairs.ts';
import {
  choiceArgument,
  numberArgument,
  type RepairBasis,
  readArguments,
  repairKind,
} from './repair-kind.ts';
import { requestOf } from './voucher-repairs.ts';

const ofTopup = {
  subject: 'top-up',
  lock: (transaction, subjectId) => lockTopup(transaction, { id: Number(subjectId) }),
  read: (database, subjectId) => topupFactsForRepair(database, Number(subjectId)),
  about: ({ id, partnerId }: TopupFactsForRepair) => ({
    company: { kind: 'partner', id: partnerId },
    voucherId: null,
    topupId: id,
    label: `top-up ${id}`,
  }),
  amountOf: ({ amount }: TopupFactsForRepair) => parseMoney(amount ?? '0'),
} as const satisfies Partial<Parameters<typeof repairKind<TopupFactsForRepair, z.ZodObject>>[0]>;

export const retryTopupRepair = repairKind({
  ...ofTopup,
  name: 'retry-top-up',
  isIrreversible: true,
  button: 'Send it once more',
  summary:
    'Sends the top-up once more, to the same number or another number, by the same provider or another provider. The partner pays only for a delivered top-up. A delivery is final.',
  allowed: 'when the last attempt has failed',
  fields: z.object({
    msisdn: numberArgument('Another number than the last attempt had').optional(),
    provider: choiceArgument(
      airtimeProviderNames,
      'Another provider than the routes name',
    ).optional(),
  }),
  sealed: ['msisdn'],
  // The partner pays for what it has ordered.
  movesNothing: ({ msisdn: other }) => other === undefined,
  byTwo: {
    why: 'the attempt before may have been delivered',
    when: ({ wasSettledByHand }, { msisdn: other }) => wasSettledByHand && other !== undefined,
  },
  bind: ({ attempt }) => ({ attempt: attempt + 1 }),
  refuse({ status, caseId, ...facts }, args, { numbers }) {
    if (caseId !== null) return openCaseOf(caseId);
    if (status === 'FAILED')
      return refuseSameNumber(facts, args, numbers) ?? refuseProvider(facts, args);
    if (status === 'SUCCESS') return 'It was delivered: sell another top-up instead.';
    return status === 'UNKNOWN'
      ? 'The provider has not said how it ended: wait, or settle it first.'
      : 'It is under way: wait for its end.';
  },
  async carryOut(_transaction, { id, partnerId, workflowId, msisdn: last }, args, context) {
    const { repairId, bound, numbers } = context;
    const numberHash =
      args.msisdn === undefined ? numbers.hashOfStored(last) : numbers.hashOf(args.msisdn);
    const command = {
      ...requestOf(context),
      company: { kind: 'partner', id: partnerId, credential: { repairId } },
      transactionId: id,
      attempt: Number(bound.attempt),
      msisdn: args.msisdn ?? null,
      ...(args.msisdn !== undefined && { numberHash }),
    } as const;
    return { kind: 'call', call: { kind: 'retry-top-up', workflowId, numberHash, command } };
  },
});

/** The attempt that a repair asks for. */
interface AskedRetry {
  readonly topupId: number | null;
  readonly attempt: unknown;
  /** E.164; null is the number of the attempt before. */
  readonly msisdn: unknown;
  /** Null where the routes decide alone. */
  readonly provider: string | null;
}

/** Reads it where the money moves: a repair is the authority for exactly this attempt. */
export async function askedRetry(
  database: Database,
  repairId: number,
  secretBox: SecretBox,
): Promise<AskedRetry | undefined> {
  const row = await findRepair(database, repairId);
  const args = row?.kind === retryTopupRepair.name ? readArguments(row, secretBox) : undefined;
  if (!row || !args) return undefined;
  const { attempt, msisdn: number = null, provider } = args;
  return {
    topupId: row.topup_id,
    attempt,
    msisdn: number,
    provider: typeof provider === 'string' ? provider : null,
  };
}

/** A second person is asked about another number only. */
const refuseSameNumber = (
  { msisdn: last }: Pick<TopupFactsForRepair, 'msisdn'>,
  { msisdn: given }: { readonly msisdn?: string | undefined },
  { hashOf }: RepairBasis['numbers'],
): string | undefined =>
  given !== undefined && hasHash(last, hashOf(given))
    ? 'The last attempt went to this number already: leave the number out to retry to it.'
    : undefined;

/** The step that holds the money chooses among the routes once more, and knows who is configured. */
function refuseProvider(
  { routes, operator, amount }: Pick<TopupFactsForRepair, 'routes' | 'operator' | 'amount'>,
  args: { readonly msisdn?: string | undefined; readonly provider?: string | undefined },
): string | undefined {
  if (args.provider === undefined) return undefined;
  const routed = {
    operator: args.msisdn === undefined ? (operator ?? undefined) : operatorOf(args.msisdn),
    amount: amount === null ? undefined : parseMoney(amount),
  };
  return isRoutedTo(routes, args.provider, routed)
    ? undefined
    : `No route leads this top-up to ${args.provider}: retry it without naming a provider, or ask an operator for a route.`;
}

export const settleTopupRepair = repairKind({
  ...ofTopup,
  ...ofDecision(ofTopup, ({ heldOperationId: held }) =>
    held === null ? undefined : { of: 'topup', operationId: held, settles: held },
  ),
  name: 'settle-top-up',
  isIrreversible: true,
  button: 'Book the answer',
  summary:
    'Books what the provider told you, when its system does not answer. If the system answers before that, its answer stands. It is final.',
  allowed: 'while the outcome is unknown',
  fields: decisionFields('Did the provider deliver it?'),
  bind: ({ heldOperationId, provider }) => ({ operationId: heldOperationId, provider }),
  refuse({ status, caseId, usedBefore }) {
    if (status === 'UNKNOWN') return usedBefore;
    if (caseId !== null) return openCaseOf(caseId);
    if (status === 'SUCCESS')
      return 'It is booked as delivered, so there is nothing to settle: give the customer the provider’s reference.';
    return status === 'FAILED'
      ? 'It is booked as failed: retry it. A late delivery becomes a case by itself.'
      : 'It is being sent: wait for the answer of the provider.';
  },
  carryOut: async (_transaction, _facts, _args, { bound }) => ({
    kind: 'call',
    call: { kind: 'settle', of: 'topup', operationId: String(bound.operationId) },
  }),
});
