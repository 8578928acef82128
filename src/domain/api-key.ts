/** Status of an API key. An ENDING key was rotated and still works until its end. */
export type ApiKeyStatus = 'VALID' | 'ENDING' | 'EXPIRED' | 'REVOKED';

/** Age from which the portal and the command line recommend a rotation (specification 5). */
export const ROTATION_WARNING_DAYS = 90;

/** Whether to recommend a rotation. A rotated key already has an end. */
export const needsRotation = (key: {
  readonly status: ApiKeyStatus;
  readonly ageDays: number;
}): boolean => key.status === 'VALID' && key.ageDays >= ROTATION_WARNING_DAYS;
