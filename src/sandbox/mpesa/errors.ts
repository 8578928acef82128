import { randomUUID } from 'node:crypto';
import type { SandboxReply } from '../reply.ts';

/** The errors of Daraja's gateway: HTTP status, code and message. */
const errors = {
  invalidToken: [404, '404.001.03', 'Invalid Access Token'],
  wrongToken: [401, '401.002.01', 'Error Occurred - Invalid Access Token'],
  credentials: [400, '400.008.01', 'Invalid Authentication passed'],
  grantType: [400, '400.008.02', 'Invalid grant type passed'],
  invalid: [400, '400.002.02', 'Bad Request - Invalid'],
  duplicate: [500, '500.002.1001', 'Duplicate OriginatorConversationID.'],
  internal: [500, '500.003.1001', 'Internal Server Error'],
  unavailable: [503, '503.001.01', 'Service is currently unavailable'],
} as const satisfies Record<string, readonly [number, string, string]>;

/** An error as the whole answer; `field` names its cause. */
export function errorReply(name: keyof typeof errors, field?: string): SandboxReply {
  const [status, errorCode, words] = errors[name];
  const errorMessage = field === undefined ? words : `${words} ${field}`;
  return { status, body: { requestId: randomUUID(), errorCode, errorMessage } };
}
