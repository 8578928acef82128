/** What an API key is at a moment: in use, about to end because it was rotated, or over. */
export type ApiKeyStatus = 'VALID' | 'ENDING' | 'EXPIRED' | 'REVOKED';

/** From this age on people are told to rotate a key (specification 5). */
export const ROTATION_WARNING_DAYS = 90;

/** Whether people should be told to rotate a key; one that was rotated has an end already. */
export const needsRotation = (key: {
  readonly status: ApiKeyStatus;
  readonly ageDays: number;
}): boolean => key.status === 'VALID' && key.ageDays >= ROTATION_WARNING_DAYS;
