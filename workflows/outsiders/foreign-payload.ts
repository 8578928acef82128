const MARK = 'isNotOfTheService';

/** Replaces a payload that no key of the service encrypted. */
export const foreignPayload = { [MARK]: true } as const;

/** Whether a decoded value replaces a foreign payload: workflows must not act on it. */
export const isForeign = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && MARK in value;
