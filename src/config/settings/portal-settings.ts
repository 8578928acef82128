import { z } from 'zod';
import { USUAL_PASSWORD_COST } from '../../crypto/password-hashes.ts';
import { constant, keyRing, SECRET } from '../setting-kinds.ts';

/** Sessions, passwords and invitations of the portal. */
export const portalSettings = {
  /**
   * Password attempts in a window on one account from one address or one device, and by a signed-in
   * person who changes the password.
   */
  PORTAL_SIGN_INS_PER_ACCOUNT: constant(10),
  /** Password attempts in a window on one account from all addresses together. */
  PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE: constant(100),
  /** Password attempts in a window from one address (IPv6: one /64 network). */
  PORTAL_SIGN_INS_PER_ADDRESS: constant(50),
  /** Memory for hashing a password: 2 to this power, in KiB. */
  PORTAL_PASSWORD_COST: constant(USUAL_PASSWORD_COST),
  /**
   * Lifetime of a password that `create portal-account`, `reset portal-password` or an owner in the
   * portal has made; afterwards an operator makes a new one.
   */
  PORTAL_ONE_TIME_PASSWORD_SECONDS: constant(86_400),
  PORTAL_PASSWORD_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe(
      'Concurrent password hashes, each in its own thread. At the default cost a ' +
        'thread hashes two or three a second and needs 128 MiB',
    ),
  /** Time within which an invited merchant can activate its account (specification 5: 24 hours). */
  INVITATION_LIFETIME_SECONDS: constant(86_400),
  /**
   * Interval at which workers poll for invitations and retries that operators have written, and for
   * e-mails about changed access.
   */
  INVITATION_PICKUP_SECONDS: constant(5),
  /**
   * Pause before a monthly statement or a day report that the mail server did not take is sent
   * again.
   */
  STATEMENT_RETRY_SECONDS: constant(600),
};

/** The message of a key ring would be lost among those of a union. */
const keysOrOff = ({ input }: { readonly input?: unknown }) =>
  input === undefined ? undefined : 'must be "off", or keys as those of DATA_KEYS';

/** Settings of the API besides those that it shares with the worker. */
export const apiSettings = {
  COPY_KEYS: z.union([z.literal('off'), keyRing], { error: keysOrOff }).meta({
    ...SECRET,
    description:
      'AES-256-GCM keys, written as `DATA_KEYS`, for the API keys that people make in the portal: they ' +
      'are stored encrypted, so that people can copy them later with the password. With `off` each key ' +
      'is shown once, and existing ciphertexts stay unused. Only the API process has them',
  }),
};
