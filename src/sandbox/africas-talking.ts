import Router from '@koa/router';
import { announceReports, type CommonParts, type ReportState } from './callbacks.ts';
import {
  canonicalNumber,
  commonReplies,
  E164,
  type GivenMessage,
  give,
  isWrongKey,
  newMessageId,
  notAuthorised,
  readText,
  type SandboxReply,
} from './requests.ts';
import { delaySecondsOf, type SmsBehaviour, smsBehaviour } from './scenarios.ts';

const priceBirr = 0.5;
const insufficientBalance = { statusCode: 405, status: 'InsufficientBalance' };

/** Behaviours that refuse the recipient. */
const refusals: Partial<Record<SmsBehaviour['answer'], { statusCode: number; status: string }>> = {
  'invalid-number': { statusCode: 403, status: 'InvalidPhoneNumber' },
  blacklisted: { statusCode: 406, status: 'UserInBlacklist' },
  rejected: { statusCode: 502, status: 'RejectedByGateway' },
  'gateway-error': { statusCode: 501, status: 'GatewayError' },
  'internal-error': { statusCode: 500, status: 'InternalServerError' },
};

/** Behaviours that answer the whole request. */
const wholeReplies: Partial<Record<SmsBehaviour['answer'], SandboxReply>> = {
  ...commonReplies,
  unavailable: { status: 503, body: 'Service Unavailable' },
  'no-recipients': {
    status: 201,
    body: { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } },
  },
};

interface Parts extends CommonParts {
  /** The callback of the account; undefined where it has none. */
  readonly smsReports: { readonly url: string | undefined };
}

/** Africa's Talking SMS to one recipient a request, relative to its mount path. */
export function africasTalkingRouter(parts: Parts): Router {
  const router = new Router();
  router.post('/version1/messaging', async (ctx) => {
    const form = new URLSearchParams(await readText(ctx));
    give(ctx, await takeMessage({ form, apiKey: ctx.get('apiKey') }, parts));
  });
  router.get('/version1/user', (ctx) => {
    const balance = `ETB ${parts.books.balanceOf('africas-talking').toFixed(4)}`;
    const reply = { status: 200, body: { UserData: { balance } } };
    give(ctx, isWrongKey(ctx.get('apiKey')) ? notAuthorised : reply);
  });
  return router;
}

async function takeMessage(
  { form, apiKey }: { form: URLSearchParams; apiKey: string },
  parts: Parts,
): Promise<SandboxReply> {
  if (isWrongKey(apiKey)) return notAuthorised;
  const missing = ['username', 'to', 'message'].find((field) => !form.get(field)?.trim());
  if (missing) {
    return { status: 400, body: `Request is missing required form field '${missing}'` };
  }

  const to = (form.get('to') ?? '').trim();
  await parts.waiting.wait(delaySecondsOf(to));
  const from = form.get('from')?.trim() || 'AFRICASTKNG';
  const recipient = await send({ to, from, text: form.get('message') ?? '' }, parts);
  return wholeReplies[smsBehaviour(to).answer] ?? replyOf(recipient);
}

async function send(message: GivenMessage, parts: Parts) {
  const behaviour = smsBehaviour(message.to);
  const isEmpty = parts.books.balanceOf('africas-talking') <= 0;
  const answer = E164.test(message.to) ? behaviour.answer : 'invalid-number';
  const refusal = isEmpty ? insufficientBalance : refusals[answer];
  if (refusal) return { ...refusal, number: message.to, cost: '0', messageId: 'None' };
  const number = canonicalNumber(message.to);
  const isTaken = behaviour.isReceived || behaviour.report === 'not-delivered';
  const messageId = isTaken ? newMessageId() : 'None';
  if (behaviour.isReceived) parts.books.receiveMessage({ ...message, id: messageId });
  if (isTaken)
    await announceReports(behaviour, parts.waiting, (state) =>
      postReport(parts, { id: messageId, number, state }),
    );
  return {
    statusCode: 101,
    number,
    status: 'Success',
    cost: `ETB ${priceBirr.toFixed(4)}`,
    messageId,
  };
}

const reportWords: Readonly<Record<ReportState, Readonly<Record<string, string>>>> = {
  pending: { status: 'Submitted' },
  completed: { status: 'Success' },
  failed: { status: 'Failed', failureReason: 'DeliveryFailure' },
};

/** A delivery report: a form, without a signature. It is not repeated. */
async function postReport(
  { smsReports: { url }, waiting, faults }: Parts,
  { id, number, state }: { id: string; number: string; state: ReportState },
): Promise<void> {
  if (url === undefined || faults.of('africas-talking').losesCallbacks) return;
  const body = new URLSearchParams({
    id,
    phoneNumber: number,
    networkCode: '63601',
    retryCount: '0',
    ...reportWords[state],
  });
  try {
    const answer = await fetch(url, { method: 'POST', body, signal: waiting.ending });
    await answer.body?.cancel();
  } catch {
    // The receiver is away: the report is lost.
  }
}

function replyOf(recipient: Awaited<ReturnType<typeof send>>): SandboxReply {
  const sent = recipient.statusCode === 101 ? 1 : 0;
  const cost = `ETB ${(sent * priceBirr).toFixed(4)}`;
  const Message = `Sent to ${sent}/1 Total Cost: ${cost} Message parts: 1`;
  return { status: 201, body: { SMSMessageData: { Message, Recipients: [recipient] } } };
}
