const MARK = 'isNotOfTheService';

/** Stands in the place of a payload that was not encrypted by a key of the service. */
export const foreignPayload = { [MARK]: true } as const;

/** Whether a decoded value stands in the place of such a payload: it must not be acted on. */
export const isForeign = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && MARK in value;
