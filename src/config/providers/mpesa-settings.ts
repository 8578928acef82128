import { z } from 'zod';
import { type MpesaPaths, mpesaPaths } from '../../domain/providers/mpesa-paths.ts';
import {
  addressOrRange,
  commaList,
  pemOrFile,
  SECRET,
  seconds,
  secret,
  webAddress,
} from '../setting-kinds.ts';

const path = (description: string, name: keyof MpesaPaths) =>
  z
    .string()
    .regex(/^\/[\w./-]+$/, 'must be a path such as /oauth/v1/generate')
    .optional()
    .meta({
      description,
      whenUnset:
        `\`${mpesaPaths.kenya[name]}\`, and \`${mpesaPaths.ethiopia[name]}\` where the host of ` +
        '`MPESA_URL` ends in `.et`',
    });

/** Payments by M-Pesa Daraja; `MPESA_URL` configures it. */
export const mpesaSettings = {
  MPESA_URL: webAddress
    .optional()
    .describe(
      'Base address of M-Pesa Daraja, such as `https://api.safaricom.et`; `npm start` uses the ' +
        'sandbox if this is not set',
    ),
  MPESA_TOKEN_PATH: path('Path of tokens', 'tokenPath'),
  MPESA_PAYMENT_PATH: path('Path of B2C payments', 'paymentPath'),
  MPESA_STATUS_PATH: path('Path of inquiries about payments', 'statusPath'),
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
  MPESA_COMMAND: z
    .enum(['BusinessPayment', 'SalaryPayment', 'PromotionPayment'])
    .default('BusinessPayment')
    .describe('Kind of the payments'),
  MPESA_CALLBACK_URL: webAddress
    .optional()
    .describe(
      'Address for results, `…/callbacks/payouts` or `…/callbacks/mpesa`, required with `MPESA_URL`: ' +
        'M-Pesa answers payments and inquiries only there',
    ),
  MPESA_CALLBACK_SECRET: z
    .string()
    .regex(/^[\w-]{16,128}$/, 'must be 16 to 128 letters, digits, - or _')
    .meta(SECRET)
    .optional()
    .describe(
      'Part of the path of results, 16 to 128 letters, digits, `-` or `_`, required with ' +
        '`MPESA_URL`; a result without it in its path is 404',
    ),
  MPESA_CALLBACK_ADDRESSES: commaList.pipe(z.array(addressOrRange)).meta({
    description: 'Addresses and CIDR ranges, separated by commas, that results may come from',
    whenUnset: 'any address',
  }),
  MPESA_TIMEOUT_SECONDS: seconds
    .default(10)
    .describe('Time limit of one call, and of the wait for the answer to an inquiry'),
};
