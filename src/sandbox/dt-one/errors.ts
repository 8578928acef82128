import type { SandboxReply } from '../reply.ts';

/** The error answers of DT One: HTTP status, code and message. */
const errors = {
  badRequest: [400, 1_000_400, 'Bad Request'],
  unauthorised: [401, 1_000_401, 'Unauthorized'],
  productNotAvailable: [404, 1_003_001, 'Product is not available in your account'],
  amountOutOfRange: [400, 1_003_002, 'Requested product amount is out of range'],
  unitInvalid: [400, 1_003_003, 'Requested product unit is invalid'],
  numberInvalid: [400, 1_005_003, 'Credit party mobile number is invalid'],
  externalIdUsed: [400, 1_007_001, 'Transaction external ID has already been used'],
  transactionNotFound: [404, 1_008_004, 'Transaction not found'],
  unavailable: [503, 1_009_503, 'Service unavailable'],
} as const satisfies Record<string, readonly [number, number, string]>;

export type DtOneErrorName = keyof typeof errors;

/** An error as the whole answer; `field` names its cause. */
export function errorReply(name: DtOneErrorName, field?: string): SandboxReply {
  const [status, code, words] = errors[name];
  const message = field ? `${words}: ${field}` : words;
  return { status, body: { errors: [{ code, message }] } };
}
