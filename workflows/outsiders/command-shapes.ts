/**
 * The minimum that an input must contain before a workflow acts on it. A payload that the service
 * encrypted may still be a copy from another place, and an exception in the workflow would block
 * it.
 */
type Fields = Readonly<Record<string, unknown>>;
type Shape = (input: unknown) => boolean;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isRequest = (value: unknown): value is Fields =>
  isObject(value) &&
  typeof value.operationId === 'string' &&
  typeof value.requestId === 'string' &&
  isObject(value.company) &&
  typeof value.company.id === 'number';

const isOfVoucher: Shape = (value) => isRequest(value) && typeof value.voucherId === 'number';

const isOfTopUp = (value: unknown): value is Fields =>
  isRequest(value) && typeof value.transactionId === 'number';

const isRetry: Shape = (value) => isOfTopUp(value) && typeof value.attempt === 'number';

/** By workflow type; a type that is not listed needs no input. */
export const inputShapes: Readonly<Record<string, Shape>> = {
  generateVoucher: (input) => isRequest(input) && typeof input.denominationId === 'number',
  cancelVoucher: isOfVoucher,
  generateBulk: (input) => isObject(input) && typeof input.bulkOrderId === 'number',
  resendMessage: isOfVoucher,
  redeemVoucher: (input) =>
    isObject(input) &&
    isObject(input.timing) &&
    isObject(input.begin) &&
    (isOfVoucher(input.begin.claim) || isOfVoucher(input.begin.redeem)),
  reverseRedemption: (input) =>
    isObject(input) &&
    isObject(input.timing) &&
    isRequest(input.command) &&
    typeof input.command.redemptionId === 'number',
  repair: (input) =>
    isObject(input) &&
    isObject(input.timing) &&
    typeof input.repairId === 'number' &&
    typeof input.operationId === 'string',
  topUp: (input) =>
    isObject(input) &&
    isObject(input.timing) &&
    isObject(input.begin) &&
    (input.begin.kind === 'retry' ? isRetry(input.begin.command) : isOfTopUp(input.begin.command)),
  followCase: (input) =>
    isObject(input) && isObject(input.name) && typeof input.intervalMs === 'number',
  finishMessage: (input) => isObject(input) && typeof input.messageId === 'number',
  deliverWebhooks: (input) => isObject(input) && typeof input.endpointId === 'number',
  tellOwners: (input) => isObject(input) && typeof input.auditId === 'number',
  inviteMerchant: (input) => isObject(input) && typeof input.invitationId === 'string',
};

/** By update name. */
export const updateShapes: Readonly<Record<string, Shape>> = {
  redeem: isOfVoucher,
  retryTopUp: isRetry,
};

/**
 * A validator for updates without input: without any validator, refuse-outsiders.ts would not run.
 */
export const mayCome = (): void => {};
