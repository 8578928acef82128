/**
 * Whose word it is that a payment or a top-up was not done: the provider refused it, the service sent nothing, or
 * staff settled it by hand.
 */
export type NotDoneBy = 'provider' | 'service' | 'staff';

/** The code of an outcome that staff settled by hand. */
export const SETTLED_BY_HAND = 'settled-by-hand';
