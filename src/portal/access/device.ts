import { randomBytes } from 'node:crypto';
import type { PublicRequest } from '../page.js';
import { isSameToken } from './csrf.js';

/** A device's name is random, 96 bits; after it, in the cookie, comes the proof. */
const NAME_CHARACTERS = 16;
const TOKEN_CHARACTERS = 43;

/** The value of the cookie of a device that an account has signed in with: name and proof. */
const tokenOf = ({ services }: PublicRequest, account: string, name: string): string =>
  (name + services.digests.portalDevice(account, name)).slice(0, TOKEN_CHARACTERS);

/**
 * The name of the browser that a request came from, where the account (its canonical e-mail address)
 * has signed in with it before. It lets nobody in.
 */
export function knownDevice(request: PublicRequest, account: string): string | undefined {
  const { deviceToken } = request;
  if (deviceToken === undefined) return undefined;
  const name = deviceToken.slice(0, NAME_CHARACTERS);
  return isSameToken(deviceToken, tokenOf(request, account, name)) ? name : undefined;
}

/** The Set-Cookie header by which a browser is known again as one of the account's. */
export function rememberDevice(request: PublicRequest, account: string): string {
  const name = knownDevice(request, account) ?? randomBytes(12).toString('base64url');
  return request.cookies.device.set(tokenOf(request, account, name));
}
