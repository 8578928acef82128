import { discardTopup, drawTopup, type NewTopup } from '../db/topups.js';
import type { Operation } from '../domain/errors.js';
import type { Caller } from '../domain/voucher.js';
import { WorkflowsUnavailableError } from '../http/call-error.js';
import type { RefusalReply, Reply } from '../http/envelope.js';
import { carryOut, identify, type OperationResult } from '../http/operation.js';
import type { Services } from '../http/services.js';
import { stillProcessing, type ToppedUp, topupAnswer } from './topup-answer.js';

/**
 * Tops up once (design 6): the number is drawn and what is asked for stored before the workflow is
 * started. From the moment that the start may have been sent, every fault answers "accepted and
 * processing" with that number, so that a lost answer never becomes a second top-up; it is an error
 * only when the start provably never left.
 */
export async function carryOutTopup(
  services: Services,
  request: {
    readonly company: Caller;
    readonly operation: Operation;
    readonly key: string | undefined;
    readonly topup: Omit<NewTopup, 'operationId' | 'requestDigest' | 'partnerId'>;
  },
): Promise<Reply | RefusalReply> {
  const { company, topup } = request;
  const identity = identify(services, {
    company,
    kind: request.operation,
    key: request.key,
    content: topup,
  });
  let transactionId: number | undefined;
  const answered = await carryOut<ToppedUp>(services, identity, async () => {
    transactionId = await drawTopup(services.database, {
      ...topup,
      operationId: identity.operationId,
      requestDigest: identity.requestDigest,
      partnerId: company.id,
    });
    await services.failpoint('topup-drawn');
    return services.workflows.topUp({ ...identity, transactionId });
  }).catch(async (error): Promise<OperationResult<ToppedUp>> => {
    if (transactionId === undefined) throw error;
    if (error instanceof WorkflowsUnavailableError && error.isCertain) {
      await discardTopup(services.database, transactionId, identity.requestDigest);
      throw error;
    }
    return { result: { ok: false, reason: 'still-processing' }, replayed: false };
  });
  const { result } = answered;
  const isOpen = !result.ok && result.reason === 'still-processing';
  return isOpen && transactionId !== undefined
    ? stillProcessing({ transactionId, creationId: identity.operationId, attempt: 1 })
    : topupAnswer(answered);
}
