/** The kind of an input, and its receiver. */
export type Address = `${'start' | 'update' | 'signal'} ${string}`;

/**
 * The data of a start, an update or a signal as the service sends it: it names what it is for, so that
 * a copy of it serves nothing else.
 */
interface AddressedInput {
  readonly to: Address;
  readonly input: readonly unknown[];
}

/** The data to be sent. */
export const addressed = (to: Address, input: readonly unknown[]): [AddressedInput] => [
  { to, input },
];

/** The data that came; undefined where it is not for this. */
export function inputFor(to: Address, data: readonly unknown[]): unknown[] | undefined {
  const [given] = data as readonly (Partial<AddressedInput> | null | undefined)[];
  if (typeof given !== 'object' || given?.to !== to || !Array.isArray(given.input))
    return undefined;
  return given.input;
}

/**
 * A validator for updates without input: without any validator, refuse-outsiders.ts would not run.
 */
export const mayCome = (): void => {};

const MARK = 'isNotOfTheService';

/** Replaces a payload that no key of the service encrypted. */
export const foreignPayload = { [MARK]: true } as const;

/** Whether a decoded value replaces a foreign payload: workflows must not act on it. */
export const isForeign = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && MARK in value;
