import { companyAuthority } from '../../src/db/access/access.ts';
import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { giveBackResend } from '../../src/db/limits/daily-limits.ts';
import {
  type CountedMessages,
  cancelQueuedMessages,
  lockNumber,
} from '../../src/db/messages/messages.ts';
import {
  findResend,
  findResendable,
  queueResend as queue,
  type ResendableMessage,
  resendCounts,
} from '../../src/db/messages/resends.ts';
import {
  answerRefusal,
  beginOperation,
  refuseOperation,
  settleOperation,
} from '../../src/db/operations.ts';
import { lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import {
  type AnsweredOperation,
  answered,
  type OperationOutcome,
  refuse,
} from '../../src/domain/refusals.ts';
import {
  type MissedMessage,
  type ResendFacts,
  refuseResend,
} from '../../src/domain/vouchers/messages.ts';
import type { MessageResent, ResendMessageCommand } from '../../workflows/contracts.ts';
import { countMessage, messageCountsOf } from '../budgets.ts';
import { outcomeAfter } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { MessageOutcome } from '../messages.ts';

const KIND = 'resend-message';

/** The new message in the queue, or the stored answer of the resend. */
type ResendQueued =
  | {
      readonly kind: 'queued';
      readonly messageId: number;
      readonly messageKind: MissedMessage['kind'];
    }
  | AnsweredOperation<MessageResent>;

export function createResendActivities(dependencies: ActivityDependencies) {
  const { database } = dependencies;
  /**
   * Queues the code or the confirmation that an owner may have missed, as a new message; or answers the refusal.
   * Idempotent by operation.
   */
  async function queueResend(command: ResendMessageCommand): Promise<ResendQueued> {
    try {
      return await database
        .transaction()
        .execute((transaction) => queueOrAnswer(transaction, command, dependencies));
    } catch (error) {
      return answered(await outcomeAfter(database, command, error));
    }
  }

  /** Answers a resend whose message has its outcome. A refused message counts no more. */
  const settleResend = (
    command: ResendMessageCommand,
    { messageId, messageKind }: Extract<ResendQueued, { kind: 'queued' }>,
    sent: MessageOutcome,
  ): Promise<OperationOutcome<MessageResent>> =>
    database.transaction().execute(async (transaction) => {
      if (sent.kind === 'accepted' || sent.kind === 'unknown')
        return settleOperation(transaction, command.operationId, 'SUCCEEDED', {
          ok: true,
          kind: messageKind,
          ...(sent.kind === 'unknown' && { sending: sent.kind }),
        });
      await cancelQueuedMessages(transaction, 'id', messageId);
      await giveBackResend(transaction, command.operationId);
      const refusal = refuse('message-not-queued', { detail: sent.message });
      return refuseOperation(transaction, command, refusal);
    });

  return { queueResend, settleResend };
}

async function queueOrAnswer(
  transaction: DatabaseTransaction,
  command: ResendMessageCommand,
  { settings, numbers }: ActivityDependencies,
): Promise<ResendQueued> {
  const { company, operationId } = command;
  const begun = await beginOperation<MessageResent>(transaction, command, KIND);
  if (begun.kind === 'answered') return begun;
  const queued = begun.kind === 'resumed' ? await findResend(transaction, operationId) : undefined;
  if (queued) return { kind: 'queued', messageId: queued.id, messageKind: queued.kind };
  const found = await lockVoucher(transaction, command.voucherId);
  const voucher = found?.partner_id === company.id ? found : undefined;
  const original = voucher && (await findResendable(transaction, voucher));
  const counted = original && (await lockedCounts(transaction, original, { ...command, numbers }));
  const counts = counted && messageCountsOf(counted, settings.vouchers);
  const facts: ResendFacts = {
    ...(await companyAuthority(transaction, company, KIND)),
    hasVoucher: voucher !== undefined,
    message: original && counts && { kind: original.kind, status: original.status, ...counts },
  };
  const refusal = refuseResend(facts, settings.vouchers);
  if (refusal || !original || !counts)
    return answerRefusal(transaction, command, refusal ?? refuse('nothing-to-resend'));
  const messageId = await queue(transaction, original, command);
  await countMessage(transaction, company, counts.companyMessages);
  return { kind: 'queued', messageId, messageKind: original.kind };
}

async function lockedCounts(
  transaction: DatabaseTransaction,
  original: ResendableMessage,
  {
    voucherId,
    company,
    numbers,
  }: Pick<ResendMessageCommand, 'voucherId' | 'company'> & Pick<ActivityDependencies, 'numbers'>,
): Promise<CountedMessages> {
  await lockNumber(transaction, original.msisdn);
  const numberHash = numbers.hashOf(numbers.open(original.msisdn));
  return resendCounts(transaction, original, { voucherId, company, numberHash });
}
