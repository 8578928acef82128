import { z } from 'zod';
import { MARKET_TIME_ZONE } from '../../domain/phone.ts';
import {
  amount,
  balanceMinimums,
  constant,
  count,
  countries,
  days,
  limit,
  seconds,
  timeZone,
} from '../setting-kinds.ts';
import { mobilePrefixes } from '../setting-structures.ts';

/** Two hours of the day, from 0 to 24. */
const hours = z
  .string()
  .regex(/^(\d|1\d|2[0-4])-(\d|1\d|2[0-4])$/, 'must be two hours of the day, such as 9-18')
  .transform((text) => text.split('-').map(Number))
  .pipe(z.tuple([z.number(), z.number()]));

/** Vouchers, claims, verification codes and redemptions. */
export const voucherSettings = {
  VOUCHER_VALIDITY_DAYS: days.default(365).describe('Lifetime of a voucher'),
  EXPIRY_REMINDER_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(90)
    .default(7)
    .describe(
      'Days before the expiry of a voucher when its owner is told by SMS; 0 tells nobody. ' +
        'Vouchers with a life of up to twice as many days get no message',
    ),
  EXPIRY_REMINDER_HOURS: hours
    .prefault('9-18')
    .describe(
      'Hours of the day, in MARKET_TIME_ZONE, from and until which these messages are sent',
    ),
  MARKET_TIME_ZONE: timeZone
    .default(MARKET_TIME_ZONE)
    .describe(
      'Time zone of owners, for days and hours of messages to them, of day reports, and of people ' +
        'of the portal who have chosen none',
    ),
  CLAIM_LIFETIME_SECONDS: seconds
    .default(300)
    .describe('Lifetime of a claim and its verification code'),
  /** Shortest time between two verification codes for one voucher. */
  MESSAGE_COOLDOWN_SECONDS: constant(30),
  MESSAGES_PER_NUMBER_AND_DAY: count
    .default(20)
    .describe(
      'Verification codes sent to one number in 24 hours; confirmations of anonymous ' +
        'redemptions have the same limit and a separate count',
    ),
  /**
   * Verification codes to one number that the SMS provider may refuse in an hour before claims for
   * that number must wait.
   */
  REFUSED_MESSAGES_PER_NUMBER_AND_HOUR: constant(5),
  MOBILE_PREFIXES: mobilePrefixes.default({}).meta({
    description:
      'Prefixes of mobile numbers that operators have begun to use and the library of phone numbers does not know ' +
      'yet, by operator, separated by spaces: `ETHIO_TELECOM=0791 0792,SAFARICOM_ETHIOPIA=0760`. The command line ' +
      'needs the same',
    whenUnset: 'those of the library alone',
  }),
  SERVED_COUNTRIES: countries
    .prefault('ET')
    .describe(
      'Countries (ISO 3166-1 alpha-2, separated by commas) to whose numbers the service ' +
        'sends messages',
    ),
  MESSAGES_PER_COMPANY_AND_DAY: count
    .default(5_000)
    .describe(
      "Verification codes that a company's claims send in a day (UTC), and confirmations of " +
        'its anonymous redemptions; `set budgets` sets the budget of one company',
    ),
  /**
   * Wrong verification codes over the life of a voucher, of all companies, after which its codes
   * have eight digits instead of six.
   */
  CODE_ATTEMPTS_BEFORE_LONG_CODES: constant(20),
  /**
   * Wrong verification codes of one company in a day (UTC) after which its redemptions with a code
   * run one at a time; `set budgets` sets the budget of one company.
   */
  CODE_ATTEMPTS_PER_COMPANY_AND_DAY: constant(100),
  /** Pause between two of these redemptions. */
  CODE_ATTEMPT_PAUSE_SECONDS: constant(2),
  REDEMPTION_MINIMUM: amount
    .default('5')
    .describe(
      'Smallest part of a voucher that can be redeemed, in ETB; the whole remaining balance ' +
        'can always be redeemed',
    ),
  REVERSAL_WINDOW_SECONDS: z.coerce
    .number()
    .min(0)
    .default(86_400)
    .describe(
      'Time after its payment within which a merchant may reverse a redemption, where the ' +
        'mobile-money provider can; later the repair of support staff needs two people. `0` allows no ' +
        'reversal',
    ),
  PARTIAL_REDEMPTIONS_PER_VOUCHER: count
    .default(20)
    .describe(
      'Partial redemptions of one voucher; afterwards only the whole remaining ' +
        'balance can be redeemed',
    ),
  VOUCHERS_PER_NUMBER_AND_DAY: limit
    .default(0)
    .describe('Vouchers that one phone number may be given in a day (UTC); `0`: no limit'),
  REDEMPTIONS_PER_NUMBER_AND_DAY: limit
    .default(0)
    .describe("Redemptions of one phone number's vouchers in a day (UTC); `0`: no limit"),
  TOPUPS_PER_NUMBER_AND_DAY: limit
    .default(0)
    .describe('Top-ups and retries to one phone number in a day (UTC); `0`: no limit'),
};

/** Idempotency keys and Schedules. */
export const scheduleSettings = {
  MESSAGE_RETENTION_DAYS: count
    .min(31)
    .default(400)
    .describe(
      'Days that sent messages to owners are kept, with what became of them; at least 31. Support and ' +
        'the portal show none of a voucher after that',
    ),
  NUMBER_RETENTION_DAYS: limit
    .default(1_095)
    .describe(
      'Days after which the phone numbers of vouchers (from their expiry date) and top-ups (from their ' +
        'last change) are erased, once these have ended; 0 keeps them',
    ),
  /** Interval of the sweep, which ends due vouchers, claims and top-ups that never began. */
  EXPIRY_SWEEP_INTERVAL_SECONDS: constant(300),
  /**
   * Interval of reconciliation: money on hold without a workflow, answers to be checked again with
   * providers, the books.
   */
  RECONCILE_INTERVAL_SECONDS: constant(300),
  /** Pause before a statement that could not be read is tried again. */
  PROVIDER_STATEMENT_RETRY_SECONDS: constant(900),
  /** Tries after which a statement that cannot be read needs a person. */
  PROVIDER_STATEMENT_TRIES: constant(12),
  /**
   * Time around midnight in which an operation may stand in the statement of the other day: clocks
   * differ, and a call takes time.
   */
  PROVIDER_STATEMENT_MARGIN_SECONDS: constant(1_800),
  /** Interval at which the providers are asked for our balances. */
  PROVIDER_BALANCE_INTERVAL_SECONDS: constant(900),
  PROVIDER_BALANCE_MINIMUMS: balanceMinimums.meta({
    description:
      'Balances below which an alarm is raised, in the currency of the account, such as ' +
      '`gsma=50000,dt-one=500,africas-talking=1000`',
    whenUnset: 'no alarm',
  }),
};
