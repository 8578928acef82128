import type { ActivityDependencies } from '../../activities/dependencies.ts';
import type { Config } from '../config/config.ts';
import { createNumberHash } from '../crypto/number-hash.ts';
import { parseMoney } from '../domain/money.ts';
import { repairLimits } from '../repairs/repair-limits.ts';

/** The limits of generations and top-ups, for the worker that keeps them and for quotes. */
export const operationLimits = (config: Config) => ({
  servedCountries: config.SERVED_COUNTRIES,
  perNumberAndDay: {
    vouchers: config.VOUCHERS_PER_NUMBER_AND_DAY,
    redemptions: config.REDEMPTIONS_PER_NUMBER_AND_DAY,
    topups: config.TOPUPS_PER_NUMBER_AND_DAY,
  },
  topupRanges: {
    ETHIO_TELECOM: {
      minimum: parseMoney(config.AIRTIME_MINIMUM_ETHIO_TELECOM),
      maximum: parseMoney(config.AIRTIME_MAXIMUM_ETHIO_TELECOM),
    },
    SAFARICOM_ETHIOPIA: {
      minimum: parseMoney(config.AIRTIME_MINIMUM_SAFARICOM_ETHIOPIA),
      maximum: parseMoney(config.AIRTIME_MAXIMUM_SAFARICOM_ETHIOPIA),
    },
  },
});

/** How statements of providers are compared, by workers and by operators. */
export const comparisonSettings = (
  config: Pick<
    Config,
    `PROVIDER_STATEMENT_${'MARGIN_SECONDS' | 'PATIENCE_DAYS' | 'MAXIMUM_BREAKS'}`
  >,
) => ({
  marginSeconds: config.PROVIDER_STATEMENT_MARGIN_SECONDS,
  patienceDays: config.PROVIDER_STATEMENT_PATIENCE_DAYS,
  maximumBreaks: config.PROVIDER_STATEMENT_MAXIMUM_BREAKS,
});

/** Reading what a message says, and recording what became of it. */
const RECORDING_SECONDS = 2;

/** The limits of activities, from the settings. */
export const activityLimits = (config: Config): ActivityDependencies['limits'] => ({
  ...operationLimits(config),
  voucherValidityDays: config.VOUCHER_VALIDITY_DAYS,
  wrongCodesPerDay: config.CODE_ATTEMPTS_PER_DAY,
  wrongCodesBeforeLongCodes: config.CODE_ATTEMPTS_BEFORE_LONG_CODES,
  wrongCodesPerCompanyAndDay: config.CODE_ATTEMPTS_PER_COMPANY_AND_DAY,
  messagesPerCompanyAndDay: config.MESSAGES_PER_COMPANY_AND_DAY,
  redemptionMinimum: parseMoney(config.REDEMPTION_MINIMUM),
  partialRedemptionsPerVoucher: config.PARTIAL_REDEMPTIONS_PER_VOUCHER,
  reminders: {
    days: config.EXPIRY_REMINDER_DAYS,
    hours: [config.EXPIRY_REMINDER_FROM_HOUR, config.EXPIRY_REMINDER_UNTIL_HOUR],
    zone: config.MARKET_TIME_ZONE,
  },
  statements: {
    zone: config.MARKET_TIME_ZONE,
    retrySeconds: config.STATEMENT_RETRY_SECONDS,
  },
  providerStatements: {
    ...comparisonSettings(config),
    zone: config.MARKET_TIME_ZONE,
    days: config.PROVIDER_STATEMENT_DAYS,
    fileDays: config.PROVIDER_STATEMENT_FILE_DAYS,
    retrySeconds: config.PROVIDER_STATEMENT_RETRY_SECONDS,
    maximumTries: config.PROVIDER_STATEMENT_TRIES,
  },
  messageCooldownSeconds: config.MESSAGE_COOLDOWN_SECONDS,
  messagesPerNumberAndDay: config.MESSAGES_PER_NUMBER_AND_DAY,
  messageSendingSeconds:
    config.PROVIDER_CALL_WAIT_SECONDS + config.PROVIDER_DEADLINE_SECONDS + RECORDING_SECONDS,
  emailSendingSeconds: config.EMAIL_TIMEOUT_SECONDS + RECORDING_SECONDS,
  confirmationMaximumAgeSeconds: config.CONFIRMATION_MAXIMUM_AGE_SECONDS,
  refusedMessagesPerNumberAndHour: config.REFUSED_MESSAGES_PER_NUMBER_AND_HOUR,
  operationRetentionDays: config.OPERATION_RETENTION_DAYS,
  messageRetentionDays: config.MESSAGE_RETENTION_DAYS,
  numberRetentionDays: config.NUMBER_RETENTION_DAYS,
  eventRetentionDays: config.EVENT_RETENTION_DAYS,
  signInWindowSeconds: config.PORTAL_SIGN_IN_WINDOW_SECONDS,
  sessionMaximumSeconds: config.PORTAL_SESSION_MAXIMUM_SECONDS,
  topupStartSeconds: config.TOPUP_START_SECONDS,
  supportRetrySignal: config.SUPPORT_RETRY_SIGNAL === 'on',
  reversalWatchSeconds: config.REVERSAL_WATCH_SECONDS,
  reversalWindowSeconds: config.REVERSAL_WINDOW_SECONDS,
  repairs: repairLimits(config, createNumberHash(config.DIGEST_KEY)),
});
