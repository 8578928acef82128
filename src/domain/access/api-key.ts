import type { Scope } from './scope.ts';

/** What an API key may do; the successor of a rotated key has the power of the old one. */
export interface ApiKeyPower {
  readonly scopes: readonly Scope[];
  /** Decimal string in ETB: what vouchers and top-ups of a day may cost; null without a limit. */
  readonly dailyAmount: string | null;
  /** How many vouchers and top-ups it may begin on a day; null without a limit. */
  readonly dailyOperations: number | null;
}

/** Status of an API key. An ENDING key was rotated and still works until its end. */
export type ApiKeyStatus = 'VALID' | 'ENDING' | 'EXPIRED' | 'REVOKED';

/** Age from which the portal and the command line recommend a rotation (specification 5). */
export const ROTATION_WARNING_DAYS = 90;

/** Whether to recommend a rotation. A rotated key already has an end. */
export const needsRotation = (key: {
  readonly status: ApiKeyStatus;
  readonly ageDays: number;
}): boolean => key.status === 'VALID' && key.ageDays >= ROTATION_WARNING_DAYS;
