import { z } from 'zod';
import { constant, count, pemOrFile } from '../setting-kinds.ts';
import { smppAddress } from '../setting-structures.ts';

/** SMS over SMPP 3.4. */
export const smppSettings = {
  SMPP_URL: smppAddress
    .optional()
    .describe(
      'Address of the SMSC with the system id and the password of the account, ' +
        '`smpp://id:password@host:2775`, or `smpps://id:password@host:3550` with TLS, and `?system_type=…` where the SMSC wants one; without it the ' +
        'provider `smpp` is not configured, and `npm start` uses the sandbox',
    ),
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
  SMPP_WINDOW: count.default(10).describe('Messages of one worker without an answer at a time'),
  /** Pause before a lost session is opened again; it doubles with each failure. */
  SMPP_RECONNECT_SECONDS: constant(1),
  /** The longest of these pauses. */
  SMPP_RECONNECT_MAXIMUM_SECONDS: constant(60),
  /** Pause after the SMSC asked for fewer messages; none is sent in it. */
  SMPP_THROTTLE_PAUSE_SECONDS: constant(1),
  SMPP_RECEIPT_IDS: z
    .enum(['same', 'decimal-for-hex', 'hex-for-decimal'])
    .default('same')
    .describe(
      'How receipts write the id that the SMSC answered: the same, in decimal where it answered ' +
        'in hexadecimal, or the other way round',
    ),
};
