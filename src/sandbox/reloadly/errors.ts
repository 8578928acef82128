import type { Context } from 'koa';
import type { SandboxReply } from '../reply.ts';

/** The error answers of Reloadly: HTTP status and message by `errorCode`. */
const errors = {
  INVALID_CREDENTIALS: [401, 'Access denied'],
  INVALID_TOKEN: [401, 'Full authentication is required to access this resource'],
  INVALID_REQUEST: [400, 'Request is not well-formed'],
  INVALID_RECIPIENT_PHONE: [400, 'Recipient phone number is not valid'],
  PHONE_BANNED_BY_OPERATOR: [400, 'The phone number is barred by its operator'],
  PHONE_RECENTLY_RECHARGED: [400, 'The phone number was recharged within the last two minutes'],
  INVALID_AMOUNT: [400, 'The amount is not valid'],
  INVALID_AMOUNT_FOR_OPERATOR: [400, 'The amount is not valid for this operator'],
  OPERATOR_NOT_FOUND: [404, 'Operator not found'],
  OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE: [400, 'The operator is currently unavailable'],
  CUSTOM_IDENTIFIER_ALREADY_USED: [400, 'The custom identifier was already used'],
  TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT: [400, 'The transaction cannot be processed now'],
  COULD_NOT_AUTO_DETECT_OPERATOR: [404, 'The operator of the number is not known'],
  RESOURCE_NOT_FOUND: [404, 'Resource not found'],
  SERVICE_UNAVAILABLE: [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [number, string]>;

export type ReloadlyErrorCode = keyof typeof errors;

/** An error as the whole answer. */
export function errorReply(ctx: Context, errorCode: ReloadlyErrorCode): SandboxReply {
  const [status, message] = errors[errorCode];
  const timeStamp = new Date().toISOString().slice(0, 19).replace('T', ' ');
  return {
    status,
    body: { timeStamp, message, path: ctx.path, errorCode, infoLink: null, details: [] },
  };
}
