import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import type { Config } from '../../config/config.ts';
import { createNumberHash } from '../../crypto/phone-numbers.ts';
import { parseMoney } from '../../domain/money.ts';
import { EMAIL_TIMEOUT_SECONDS } from '../../providers/provider-set.ts';
import { repairLimits } from '../../repairs/ask-repair.ts';

/** The limits of generations and top-ups, for the worker that keeps them and for quotes. */
export const operationLimits = (config: Config) => ({
  servedCountries: config.SERVED_COUNTRIES,
  perNumberAndDay: {
    vouchers: config.VOUCHERS_PER_NUMBER_AND_DAY,
    redemptions: config.REDEMPTIONS_PER_NUMBER_AND_DAY,
    topups: config.TOPUPS_PER_NUMBER_AND_DAY,
  },
  topupRanges: config.AIRTIME_RANGES,
});

/** How statements of providers are compared, by workers and by operators. */
export const comparisonSettings = (
  config: Pick<Config, 'PROVIDER_STATEMENT_MARGIN_SECONDS' | 'REVERSAL_WATCH_SECONDS'>,
) => ({
  marginSeconds: config.PROVIDER_STATEMENT_MARGIN_SECONDS,
  // After them what a statement does not explain is for a person.
  patienceDays: 3,
  // Above them nothing is booked: a person looks at the whole first, as after a restore.
  maximumDifferences: 200,
  reversalWatchSeconds: config.REVERSAL_WATCH_SECONDS,
});

/** Closed days for which statements are compared, and compared again while something is unexplained. */
const STATEMENT_DAYS = 7;
/** Days after which the statement of a provider that lists none, such as M-Pesa, is missed. */
const STATEMENT_FILE_DAYS = 2;

/** Wrong verification codes of one company for one voucher. */
export const WRONG_CODES_PER_DAY = 5;

/** Reading what a message says, and recording what became of it. */
const RECORDING_SECONDS = 2;

/** The limits of activities, from the settings. */
export const activityLimits = (config: Config): ActivityDependencies['limits'] => ({
  ...operationLimits(config),
  voucherValidityDays: config.VOUCHER_VALIDITY_DAYS,
  wrongCodesPerDay: WRONG_CODES_PER_DAY,
  wrongCodesBeforeLongCodes: config.CODE_ATTEMPTS_BEFORE_LONG_CODES,
  wrongCodesPerCompanyAndDay: config.CODE_ATTEMPTS_PER_COMPANY_AND_DAY,
  messagesPerCompanyAndDay: config.MESSAGES_PER_COMPANY_AND_DAY,
  redemptionMinimum: parseMoney(config.REDEMPTION_MINIMUM),
  partialRedemptionsPerVoucher: config.PARTIAL_REDEMPTIONS_PER_VOUCHER,
  reminders: {
    days: config.EXPIRY_REMINDER_DAYS,
    hours: config.EXPIRY_REMINDER_HOURS,
    zone: config.MARKET_TIME_ZONE,
  },
  statements: {
    zone: config.MARKET_TIME_ZONE,
    retrySeconds: config.STATEMENT_RETRY_SECONDS,
  },
  providerStatements: {
    ...comparisonSettings(config),
    zone: config.MARKET_TIME_ZONE,
    days: STATEMENT_DAYS,
    fileDays: STATEMENT_FILE_DAYS,
    retrySeconds: config.PROVIDER_STATEMENT_RETRY_SECONDS,
    maximumTries: config.PROVIDER_STATEMENT_TRIES,
  },
  messageCooldownSeconds: config.MESSAGE_COOLDOWN_SECONDS,
  messagesPerNumberAndDay: config.MESSAGES_PER_NUMBER_AND_DAY,
  messageSendingSeconds:
    config.PROVIDER_CALL_WAIT_SECONDS + config.PROVIDER_DEADLINE_SECONDS + RECORDING_SECONDS,
  emailSendingSeconds: EMAIL_TIMEOUT_SECONDS + RECORDING_SECONDS,
  refusedMessagesPerNumberAndHour: config.REFUSED_MESSAGES_PER_NUMBER_AND_HOUR,
  messageRetentionDays: config.MESSAGE_RETENTION_DAYS,
  numberRetentionDays: config.NUMBER_RETENTION_DAYS,
  topupStartSeconds: config.TOPUP_START_SECONDS,
  supportRetrySignal: config.SUPPORT_RETRY_SIGNAL === 'on',
  reversalWatchSeconds: config.REVERSAL_WATCH_SECONDS,
  reversalWindowSeconds: config.REVERSAL_WINDOW_SECONDS,
  repairs: repairLimits(config, createNumberHash(config.DIGEST_KEY)),
});
