import { z } from 'zod';
import { pemOrFile, secret, webAddress } from '../setting-kinds.ts';
import { byName } from '../setting-structures.ts';

const path = z.string().regex(/^\/[\w./-]+$/, 'must be a path such as /oauth/v1/generate');

/** Payments by M-Pesa Daraja; `MPESA_URL` configures it. */
export const mpesaSettings = {
  MPESA_URL: webAddress
    .optional()
    .describe(
      'Base address of M-Pesa Daraja, such as `https://api.safaricom.et`; `npm start` uses the ' +
        'sandbox if this is not set',
    ),
  MPESA_PATHS: byName(['token', 'payment', 'status'], path)
    .default({})
    .meta({
      description:
        'Paths of tokens, of B2C payments and of inquiries about payments, for those that differ: ' +
        '`token=/oauth/v1/generate,…`',
      whenUnset: "Kenya's, and Ethiopia's where the host of `MPESA_URL` ends in `.et`",
    }),
  MPESA_CONSUMER_KEY: secret.optional().describe('Key of the app, required with `MPESA_URL`'),
  MPESA_CONSUMER_SECRET: secret.optional().describe('Secret of the app, required with `MPESA_URL`'),
  MPESA_SHORT_CODE: z
    .string()
    .regex(/^\d{5,9}$/, 'must be 5 to 9 digits')
    .optional()
    .describe('Our short code, which pays; required with `MPESA_URL`'),
  MPESA_INITIATOR: z
    .string()
    .min(1)
    .optional()
    .describe('Name of the API operator that initiates payments, required with `MPESA_URL`'),
  MPESA_SECURITY_CREDENTIAL: secret
    .optional()
    .describe("The initiator's password as M-Pesa's portal encrypts it"),
  MPESA_INITIATOR_PASSWORD: secret
    .optional()
    .describe("The initiator's password, in place of `MPESA_SECURITY_CREDENTIAL`"),
  MPESA_CERTIFICATE: pemOrFile
    .optional()
    .describe("M-Pesa's certificate in PEM, or the path of a file with it, for the password"),
};
