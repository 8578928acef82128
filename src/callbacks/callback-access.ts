import { isSameBytes } from '../crypto/same-bytes.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import type { CallbackAccess } from '../http/services.ts';

/**
 * Whether a provider may call back so: callbacks are not signed, so a secret part of the path and the
 * source address are all that tells who calls. A wrong path says no more than one that does not exist.
 */
export function refuseCallback(
  { secret, isAddress }: CallbackAccess,
  given: { readonly secret: string | undefined; readonly sourceAddress: string },
): Refusal | undefined {
  if (!isSameBytes(given.secret ?? '', secret)) return refuse('route-not-found');
  return isAddress(given.sourceAddress) ? undefined : refuse('address-not-registered');
}
