import type { RouterContext } from '@koa/router';
import type { Surface } from '../domain/refusals.ts';
import type { VoucherLookUp } from '../operations/voucher-look-up.ts';
import { passStep } from '../process/failpoint.ts';
import { clientAddress } from './access/source-address.ts';
import { recordCall } from './call-log/record-call.ts';
import type { Endpoint } from './endpoint.ts';
import type { RefusalReply, Reply } from './envelope.ts';
import { type Call, guards } from './pipeline.ts';
import type { Services } from './services.ts';
import { writeRefusal, writeReply } from './write-answer.ts';

/** Passes a request through the guards to its handler, and writes the answer. */
export async function handleEndpoint(
  services: Services,
  surface: Surface,
  endpoint: Endpoint,
  context: RouterContext,
): Promise<void> {
  // Without this header any cache may keep a 404.
  context.set('Cache-Control', 'no-store');
  Object.assign(context.state.log, { route: context.routerPath ?? endpoint.path, surface });
  const sourceAddress = addressOf(services, context);
  const call: Call = { services, surface, endpoint, context, sourceAddress };
  context.state.call = call;
  const result = await answerCall(call);
  await passStep(services.failpoint, endpoint.operation, 'known');
  recordCall(services.calls, context, result);
  if (result.ok) writeReply(context, endpoint, result);
  else writeRefusal(context, services.settings.publicUrl, surface, result, endpoint);
  context.res.once('finish', () => {
    void passStep(services.failpoint, endpoint.operation, 'answered');
  });
}

async function answerCall(call: Call): Promise<Reply | RefusalReply> {
  const isSigned = call.endpoint.access === 'signed';
  for (const guard of guards) {
    if (guard.ofSigned && !isSigned) continue;
    const refusal = await guard.check(call);
    if (refusal) return refusal;
  }
  const { services, surface, endpoint, context, authenticated } = call;
  const company = authenticated?.company ?? { kind: surface, id: 0 };
  await passStep(services.failpoint, endpoint.operation, 'requested');
  const noteInLog: Services['noteInLog'] = (facts) => {
    Object.assign(context.state.log, facts);
  };
  const result = await endpoint.handle({
    services: { ...services, noteInLog },
    surface,
    company,
    scopes: authenticated?.scopes ?? new Set(),
    body: call.body,
    query: call.query,
    params: call.params,
    key: call.key,
    lookUpVoucher: endpoint.guessLimit
      ? services.guesses({ company, sourceAddress: call.sourceAddress })
      : lookUpNothing,
    headers: context.req.headers,
    rawBody: call.rawBody ?? Buffer.alloc(0),
    sourceAddress: call.sourceAddress,
    path: context.path,
  });
  // The handler of a public endpoint, such as log-in, identifies the caller.
  call.caller ??= result.caller;
  return result;
}

const lookUpNothing: VoucherLookUp = () => {
  throw new Error('An endpoint that looks up vouchers by their codes declares guessLimit');
};

/** The source address of a request; empty where the connection has no readable address. */
export function addressOf(services: Services, context: RouterContext): string {
  const forwarded = context.req.headers['x-forwarded-for'];
  return (
    clientAddress(
      context.req.socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      services.settings.isTrustedProxy,
    ) ?? ''
  );
}
