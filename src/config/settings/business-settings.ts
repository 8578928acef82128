import { z } from 'zod';
import { MARKET_TIME_ZONE } from '../../domain/phone.ts';
import { allProviders } from '../../domain/providers.ts';
import {
  amountRange,
  byName,
  byOperator,
  constant,
  count,
  countries,
  days,
  folder,
  limit,
  MAXIMUM_DAYS,
  mobilePrefixes,
  moneyAmount,
  onOff,
  optionalSetting,
  seconds,
  zoneName,
} from '../setting-kinds.ts';

/** Two hours of the day, from 0 to 24. */
const hours = z
  .string()
  .regex(/^(\d|1\d|2[0-4])-(\d|1\d|2[0-4])$/, 'must be two hours of the day, such as 9-18')
  .transform((text) => text.split('-').map(Number))
  .pipe(z.tuple([z.number(), z.number()]))
  .refine(([from, until]) => from < until, 'must name the earlier hour first');

/** Where owners are. */
export const marketSettings = {
  MARKET_TIME_ZONE: zoneName
    .default(MARKET_TIME_ZONE)
    .describe(
      'Time zone of owners, for days and hours of messages to them, of day reports, and of people ' +
        'of the portal who have chosen none',
    ),
  SERVED_COUNTRIES: countries
    .prefault('ET')
    .describe(
      'Countries (ISO 3166-1 alpha-2, separated by commas) to whose numbers the service ' +
        'sends messages',
    ),
  MOBILE_PREFIXES: mobilePrefixes.default({}).meta({
    description:
      'Prefixes of mobile numbers that operators have begun to use and the library of phone numbers does not know ' +
      'yet, by operator, separated by spaces: `ETHIO_TELECOM=0791 0792,SAFARICOM_ETHIOPIA=0760`. The command line ' +
      'needs the same',
    whenUnset: 'those of the library alone',
  }),
};

/** Vouchers, claims, verification codes and redemptions, and how much of them one number may have. */
export const voucherSettings = {
  VOUCHER_VALIDITY_DAYS: days.default(365).describe('Lifetime of a voucher'),
  EXPIRY_REMINDER_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(90)
    .default(7)
    .describe(
      'Days before the expiry of a voucher when its owner gets an SMS; 0 sends none. ' +
        'Vouchers with a life of up to twice as many days get no message',
    ),
  EXPIRY_REMINDER_HOURS: hours
    .prefault('9-18')
    .describe(
      'Hours of the day, in MARKET_TIME_ZONE, from and until which these messages are sent',
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
  MESSAGES_PER_COMPANY_AND_DAY: count
    .default(5_000)
    .describe(
      "Verification codes that a company's claims send in a day (UTC), and confirmations of " +
        'its anonymous redemptions; `access budget set` sets the budget of one company',
    ),
  /**
   * Wrong verification codes over the life of a voucher, of all companies, after which its codes
   * have eight digits instead of six.
   */
  CODE_ATTEMPTS_BEFORE_LONG_CODES: constant(20),
  /**
   * Wrong verification codes of one company in a day (UTC) after which its redemptions with a code
   * run one at a time; `access budget set` sets the budget of one company.
   */
  CODE_ATTEMPTS_PER_COMPANY_AND_DAY: constant(100),
  /** Pause between two of these redemptions. */
  CODE_ATTEMPT_PAUSE_SECONDS: constant(2),
  REDEMPTION_MINIMUM: moneyAmount
    .prefault('5')
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
        'mobile-money provider can. Later the repair of support staff needs two people. With `0` no merchant ' +
        'can reverse',
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

/** The providers that tell our balance. M-Pesa and SMPP do not. */
const balanceProviders = allProviders.filter((name) => name !== 'mpesa' && name !== 'smpp');

const balance = z
  .string()
  .regex(/^[0-9]{1,15}(\.[0-9]{1,6})?$/, 'must be an amount such as 50000')
  .transform(Number);

/** The Schedules: retention, the books, provider statements and balances. */
export const scheduleSettings = {
  MESSAGE_RETENTION_DAYS: count
    .min(31)
    .max(MAXIMUM_DAYS)
    .default(400)
    .describe(
      'Days that sent messages to owners are kept, with what became of them; at least 31. Support and ' +
        'the portal show none of a voucher after that',
    ),
  NUMBER_RETENTION_DAYS: limit
    .max(MAXIMUM_DAYS)
    .default(1_095)
    .describe(
      'Days after which the phone numbers of ended vouchers (from their expiry date) and ended top-ups (from ' +
        'their last change) are erased; 0 keeps them',
    ),
  ARCHIVE_FOLDER: optionalSetting(
    folder,
    'Folder for files of transfers that are older than 18 months, of the same path for API, worker and operator; ' +
      'back it up like the database',
    'the ledger keeps all transfers',
  ),
  /** Months after which the usual transfers of a month move to `ARCHIVE_FOLDER`; the ledger lets none move before 13. */
  ARCHIVE_AFTER_MONTHS: constant(18),
  /** Interval of the expiry run, which ends due vouchers, claims and top-ups that never began. */
  EXPIRY_RUN_INTERVAL_SECONDS: constant(300),
  /**
   * Interval of reconciliation: money on hold without a workflow, answers to be checked again with
   * providers, the books.
   */
  RECONCILE_INTERVAL_SECONDS: constant(300),
  /** Pause before a provider statement that could not be read is tried again. */
  PROVIDER_STATEMENT_RETRY_SECONDS: constant(900),
  /** Tries after which a provider statement that cannot be read needs a person. */
  PROVIDER_STATEMENT_TRIES: constant(12),
  /**
   * Time around midnight in which an operation may stand in the provider statement of the other
   * day: clocks differ, and a call takes time.
   */
  PROVIDER_STATEMENT_MARGIN_SECONDS: constant(1_800),
  /** Interval at which the providers are asked for our balances. */
  PROVIDER_BALANCE_INTERVAL_SECONDS: constant(900),
  PROVIDER_BALANCE_MINIMUMS: byName(balanceProviders, balance)
    .default({})
    .meta({
      description:
        'Balances below which an alarm is raised, in the currency of the account, such as ' +
        '`gsma=50000,dt-one=500,africas-talking=1000`',
      whenUnset: 'no alarm',
    }),
};

/** Top-ups, and unknown outcomes of providers. */
export const topupSettings = {
  /**
   * First pause before the service asks a provider about an unknown payment or top-up; pauses double
   * up to an hour.
   */
  PAYMENT_INQUIRY_INTERVAL_SECONDS: constant(2),
  PAYMENT_ALARM_SECONDS: seconds
    .default(86_400)
    .describe('Time after which an unknown payment or top-up is flagged for a person'),
  /**
   * Maximum nudges of a provider and signals of support staff in a workflow. After them the
   * workflow keeps to its own pauses. Each adds some 30 events to a history, which must stay below
   * 51,200.
   */
  NUDGES_PER_WORKFLOW: constant(200),
  /**
   * Time during which the service checks whether a provider reverses a completed operation. It asks
   * after 10 minutes, after 24 hours, at the end, and after a callback. 0 switches the watch off.
   */
  REVERSAL_WATCH_SECONDS: constant(604_800),
  /** Time that a failed top-up's workflow waits for a retry; a later retry starts a new run. */
  TOPUP_RETRY_WINDOW_SECONDS: constant(86_400),
  /**
   * Time after which a top-up or a retry whose workflow never began is failed; nothing was charged.
   */
  TOPUP_START_SECONDS: constant(300),
  SUPPORT_RETRY_SIGNAL: onOff
    .default('on')
    .describe(
      'Whether the signal `retry` in the Temporal UI makes one more attempt of a failed ' +
        'top-up. It needs no data, so anybody with access to Temporal can send it; `off` refuses ' +
        'it, and so does an amount of `REPAIR_CONFIRM_FROM` or more',
    ),
  AIRTIME_RANGES: byOperator(amountRange)
    .prefault('ETHIO_TELECOM=5-10000,SAFARICOM_ETHIOPIA=5-10000')
    .describe('Smallest and largest airtime top-up of each mobile operator, in ETB'),
};

/** Repairs of staff and operators; the same for all processes. */
export const repairSettings = {
  REPAIR_CONFIRM_FROM: moneyAmount
    .prefault('5000')
    .describe(
      'Amount in ETB from which a repair needs two people: one asks, and a second person confirms. Repairs ' +
        'of one person alone, or of all people for one subject, are added up over 24 hours. `0` for every ' +
        'repair that is about value',
    ),
  PROVIDER_CONTACTS: byName(allProviders, z.string().min(1))
    .prefault('')
    .describe(
      'How people reach the support of providers, such as `gsma=+251 911 234 567 or help@money.example,mpesa=…`. ' +
        'The pages of `/support` show it where a person asks a provider. Write a comma as `%2C`',
    ),
  /** Time within which the second person must confirm a repair. */
  REPAIR_CONFIRM_SECONDS: constant(86_400),
};

/** Events and webhooks. */
export const webhookSettings = {
  /** Interval at which workers number new events, which makes them visible. */
  EVENT_NUMBERING_SECONDS: constant(0.5),
  /** Webhooks that a company may have. */
  WEBHOOK_ENDPOINTS_PER_COMPANY: constant(10),
  WEBHOOK_PRIVATE_NETWORKS: onOff
    .default('off')
    .describe(
      'Whether webhooks may use http and addresses of private networks, for development. ' +
        'Production refuses `on`; `npm start` uses `on` in the test environment',
    ),
  /** Time limit of one call to a receiver, at most 20. */
  WEBHOOK_TIMEOUT_SECONDS: constant(10),
  /** Interval at which workers look for events to deliver. */
  WEBHOOK_DISPATCH_SECONDS: constant(0.5),
  /**
   * Pause after the first failed attempt of a delivery; each further pause is four times as long.
   */
  WEBHOOK_FIRST_PAUSE_SECONDS: constant(5),
  /** Longest pause between two attempts of a delivery. */
  WEBHOOK_LONGEST_PAUSE_SECONDS: constant(43_200),
  /** Time after which a failed attempt of a delivery is the last one. */
  WEBHOOK_RETRY_SECONDS: constant(259_200),
  /**
   * Time without one success after which a webhook that fails is switched off, and the company's
   * portal accounts are told by e-mail.
   */
  WEBHOOK_SWITCH_OFF_SECONDS: constant(432_000),
};
