import { z } from 'zod';
import { count, keyRing, seconds } from '../setting-kinds.ts';

/** Sessions, passwords and invitations of the portal. */
export const portalSettings = {
  PORTAL_SESSION_IDLE_SECONDS: seconds
    .default(1_800)
    .describe('Time without a request after which a session ends'),
  PORTAL_SESSION_MAXIMUM_SECONDS: seconds.default(43_200).describe('Longest lifetime of a session'),
  PORTAL_SIGN_IN_WINDOW_SECONDS: seconds
    .default(900)
    .describe('Window in which sign-in attempts are counted'),
  PORTAL_SIGN_INS_PER_ACCOUNT: count
    .default(10)
    .describe(
      'Password attempts in a window on one account from one address or one device, and by ' +
        'a signed-in person who changes the password',
    ),
  PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE: count
    .default(100)
    .describe('Password attempts in a window on one account from all addresses together'),
  PORTAL_SIGN_INS_PER_ADDRESS: count
    .default(50)
    .describe('Password attempts in a window from one address (IPv6: one /64 network)'),
  PORTAL_CONFIRMATION_SECONDS: seconds
    .default(600)
    .describe(
      'Time after a sign-in or a confirmation in which a person may change keys, addresses, ' +
        'people and webhooks without confirming again',
    ),
  PORTAL_SECOND_STEP_SECONDS: seconds
    .default(300)
    .describe('Time between the password and the one-time password of a sign-in'),
  PORTAL_PASSWORD_COST: z.coerce
    .number()
    .int()
    .min(14)
    .max(20)
    .default(17)
    .describe('Memory for hashing a password: 2 to this power, in KiB'),
  PORTAL_ONE_TIME_PASSWORD_SECONDS: seconds
    .default(86_400)
    .describe(
      'Lifetime of a password that `create portal-account`, `reset portal-password` or an owner in ' +
        'the portal has made; afterwards an operator makes a new one',
    ),
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
  INVITATION_LIFETIME_SECONDS: seconds
    .default(86_400)
    .describe(
      'Time within which an invited merchant can activate its account (specification 5: 24 ' +
        'hours)',
    ),
  INVITATION_PICKUP_SECONDS: seconds
    .default(5)
    .describe(
      'Interval at which workers poll for invitations and retries that operators have written, ' +
        'and for e-mails about changed access',
    ),
  STATEMENT_RETRY_SECONDS: seconds
    .default(600)
    .describe(
      'Pause before a monthly statement or a day report that the mail server did not take is sent again',
    ),
};

/** Settings of the API besides those that it shares with the worker. */
export const apiSettings = {
  PORTAL_KEY_COPY: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether API keys that people make in the portal are stored encrypted, so that they ' +
        'can be copied later with the password. With `off` each key is shown once; ' +
        'existing ciphertexts stay unused until their key ends',
    ),
  COPY_KEYS: keyRing.optional().meta({
    description:
      'AES-256-GCM keys for API keys that can be copied, written as `DATA_KEYS`. Only the ' +
      'API process has them; required only while `PORTAL_KEY_COPY` is `on`',
    whenUnset: 'required',
  }),
};
