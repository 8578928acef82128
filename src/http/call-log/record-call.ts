import type { Context } from 'koa';
import type { Reason } from '../../domain/refusals.ts';
import { type RefusalReply, type Reply, refusalAnswer } from '../envelope.ts';
import type { Call } from '../pipeline.ts';
import type { CallRecorder } from './call-recorder.ts';

/** The reasons of a call that was not admitted. */
const accessReasons: ReadonlySet<Reason> = new Set([
  'too-many-requests',
  'api-key-invalid',
  'token-invalid',
  'account-suspended',
  'address-not-registered',
  'signature-invalid',
  'signed-request-reused',
]);

/** The reasons whose details the portal shows; such a detail never repeats what was sent. */
const explainedReasons: ReadonlySet<Reason> = new Set(['signature-invalid', 'request-invalid']);
const MAXIMUM_DETAIL = 1_000;

/** Records a request once: accepted, or refused with its reason. */
export function recordCall(
  calls: CallRecorder,
  context: Context,
  result: Reply | RefusalReply,
): void {
  const call: Call | undefined = context.state.call;
  if (!call) return;
  context.state.call = undefined;
  const { surface, endpoint, caller } = call;
  const shared = {
    at: new Date(),
    surface,
    method: context.method,
    route: context.state.log.route,
    sourceAddress: call.sourceAddress,
    apiKeyId: caller?.apiKeyId ?? null,
    requestId: context.state.log.requestId,
    detail:
      !result.ok && explainedReasons.has(result.reason)
        ? result.detail?.slice(0, MAXIMUM_DETAIL)
        : undefined,
  };
  if (!result.ok && accessReasons.has(result.reason))
    calls.refused({
      ...shared,
      company: caller?.company ?? null,
      keyPrefix: caller?.keyPrefix ?? null,
      reason: result.reason,
    });
  else if (caller?.company)
    calls.admitted({
      ...shared,
      company: caller.company,
      statusCode: result.ok
        ? 200
        : refusalAnswer(result, surface, endpoint.operation).envelope.statusCode,
    });
}
