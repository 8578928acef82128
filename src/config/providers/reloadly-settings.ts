import { z } from 'zod';
import { constant, count, SECRET, secret, timeZone, webAddress } from '../setting-kinds.ts';
import { byOperator } from '../setting-structures.ts';

/** Airtime by Reloadly; `RELOADLY_URL` configures it. */
export const reloadlySettings = {
  RELOADLY_URL: webAddress
    .optional()
    .describe(
      'Base address of Reloadly, such as `https://topups.reloadly.com`, which is also the audience ' +
        'of its tokens; with it Reloadly is configured. `npm start` uses the sandbox if this is not set',
    ),
  RELOADLY_TOKEN_URL: webAddress
    .default('https://auth.reloadly.com/oauth/token')
    .describe('Address of the token endpoint'),
  RELOADLY_CLIENT_ID: secret
    .optional()
    .describe("The account's client id, required with `RELOADLY_URL`"),
  RELOADLY_CLIENT_SECRET: secret
    .optional()
    .describe("The account's client secret, required with `RELOADLY_URL`"),
  RELOADLY_OPERATORS: byOperator(count)
    .optional()
    .describe(
      "Reloadly's ids of the mobile operators, required with `RELOADLY_URL`: " +
        '`ETHIO_TELECOM=…,SAFARICOM_ETHIOPIA=…`',
    ),
  RELOADLY_CALLBACK_SECRET: z
    .string()
    .min(16)
    .meta(SECRET)
    .optional()
    .meta({
      description:
        'Secret of the webhook of the account, which signs callbacks at `…/callbacks/reloadly`; ' +
        'other callbacks are 404',
      whenUnset: 'callbacks are 404, and the service only polls Reloadly',
    }),
  RELOADLY_TIME_ZONE: timeZone
    .default('America/New_York')
    .describe(
      "Time zone of Reloadly's times, in its API and in files, which have no offset. It is not " +
        "documented: a public sample has 13:17 where its operator's id says 18:17 of Lagos",
    ),
  /**
   * Time after the last sending from which a top-up that Reloadly does not list was never received,
   * and is sent again; at least 120 in production. Reloadly may execute two requests that are under
   * way together.
   */
  RELOADLY_SETTLE_SECONDS: constant(600),
};
