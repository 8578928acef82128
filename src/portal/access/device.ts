import { randomBytes } from 'node:crypto';
import { isSameBytes } from '../../crypto/same-bytes.ts';
import type { PublicRequest } from '../page.ts';

/** A device id has 96 random bits; the proof follows it in the cookie. */
const NAME_CHARACTERS = 16;
const TOKEN_CHARACTERS = 43;

/** The cookie value of a device that an account has signed in with: id and proof. */
const tokenOf = (name: string, proof: string): string => (name + proof).slice(0, TOKEN_CHARACTERS);

/**
 * The id of the request's browser, where the account (its canonical e-mail address) has signed in
 * with it before. It gives no access.
 */
export function knownDevice(request: PublicRequest, account: string): string | undefined {
  const { deviceToken } = request;
  if (deviceToken === undefined) return undefined;
  const name = deviceToken.slice(0, NAME_CHARACTERS);
  const proofs = request.services.digests.stored.portalDevice(account, name);
  return proofs.some((proof) => isSameBytes(deviceToken, tokenOf(name, proof))) ? name : undefined;
}

/** The Set-Cookie header that marks a browser as one of the account's. */
export function rememberDevice(request: PublicRequest, account: string): string {
  const name = knownDevice(request, account) ?? randomBytes(12).toString('base64url');
  return request.cookies.device.set(
    tokenOf(name, request.services.digests.portalDevice(account, name)),
  );
}
