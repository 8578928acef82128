import { z } from 'zod';
import { count, pemOrFile, SECRET, seconds, smppAddress } from '../setting-kinds.ts';

/** SMS over SMPP 3.4. */
export const smppSettings = {
  SMPP_URL: smppAddress
    .optional()
    .describe(
      'Address of the SMSC, `smpp://host:2775`, or `smpps://host:3550` with TLS; without it the ' +
        'provider `smpp` is not configured, and `npm start` uses the sandbox',
    ),
  SMPP_SYSTEM_ID: z
    .string()
    .regex(/^[\x21-\x7e]{1,15}$/, 'must be 1 to 15 visible ASCII characters')
    .optional()
    .describe("The account's system id, required with `SMPP_URL`"),
  SMPP_PASSWORD: z
    .string()
    .regex(/^[\x21-\x7e]{1,8}$/, 'must be 1 to 8 visible ASCII characters')
    .meta(SECRET)
    .optional()
    .describe("The account's password, required with `SMPP_URL`"),
  SMPP_SYSTEM_TYPE: z
    .string()
    .regex(/^[\x21-\x7e]{0,12}$/, 'must be at most 12 visible ASCII characters')
    .default('')
    .describe('System type, where the SMSC wants one'),
  SMPP_SENDER: z
    .string()
    .regex(/^[ -~]{1,20}$/, 'must be 1 to 20 ASCII characters')
    .optional()
    .meta({
      description: 'Sender that phones show: a name, a short code, or a number with its plus sign',
      whenUnset: "the account's own",
    }),
  SMPP_CA: pemOrFile.optional().meta({
    description: "Authority of the SMSC's certificate: PEM, or the path of a file with it",
    whenUnset: 'those of Node.js',
  }),
  SMPP_TIMEOUT_SECONDS: seconds
    .default(10)
    .describe(
      'Time limit of sending one message: half of it for a session and a place in the window, ' +
        'half for the answer',
    ),
  SMPP_WINDOW: count.default(10).describe('Messages of one worker without an answer at a time'),
  SMPP_ENQUIRE_LINK_SECONDS: seconds.default(30).describe('Pause between two signs of life'),
  SMPP_RECONNECT_SECONDS: seconds
    .default(1)
    .describe('Pause before a lost session is opened again; it doubles with each failure'),
  SMPP_RECONNECT_MAXIMUM_SECONDS: seconds.default(60).describe('The longest of these pauses'),
  SMPP_THROTTLE_PAUSE_SECONDS: seconds
    .default(1)
    .describe('Pause after the SMSC asked for fewer messages; none is sent in it'),
  SMPP_RECEIPT_IDS: z
    .enum(['same', 'decimal-for-hex', 'hex-for-decimal'])
    .default('same')
    .describe(
      'How receipts write the id that the SMSC answered: the same, in decimal where it answered ' +
        'in hexadecimal, or the other way round',
    ),
};
