/** Errors that are neither: the order may have been made, or its reference was used before. */
export type ErrorMeaning = 'final' | 'passing' | 'look-up';

/**
 * What an error of `POST /topups-async` means, by its `errorCode` and with a status 4xx. `final` and
 * `passing` are refusals that leave no transaction; of them only the passing ones may disappear. Any
 * other code, and each answer 5xx, leaves the outcome unknown.
 *
 * Source: the provider's list of error codes, and captured answers.
 */
export const errorCodes: Readonly<Record<string, ErrorMeaning>> = {
  INVALID_RECIPIENT_PHONE: 'final',
  INVALID_PHONE_NUMBER: 'final',
  INVALID_SENDER_PHONE: 'final',
  COUNTRY_NOT_SUPPORTED: 'final',
  COULD_NOT_AUTO_DETECT_OPERATOR: 'final',
  OPERATOR_NOT_FOUND: 'final',
  PHONE_BANNED_BY_OPERATOR: 'final',
  INVALID_AMOUNT: 'final',
  INVALID_AMOUNT_FOR_OPERATOR: 'final',
  INVALID_AMOUNT_FOR_RECIPIENT_PHONE: 'final',
  INACTIVE_ACCOUNT: 'passing',
  ACCOUNT_NOT_FOUND: 'passing',
  INSUFFICIENT_BALANCE: 'passing',
  MAX_DAILY_TRANSACTION_COUNT_REACHED: 'passing',
  MAX_DAILY_TRANSACTION_AMOUNT_REACHED: 'passing',
  OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE: 'passing',
  OPERATOR_NOT_IN_SERVICE: 'passing',
  /** The same number again within two minutes: perhaps our own earlier order, so a person decides. */
  PHONE_RECENTLY_RECHARGED: 'final',
  CUSTOM_IDENTIFIER_ALREADY_USED: 'look-up',
  TOPUP_TRANSACTION_FAILED: 'look-up',
  TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT: 'look-up',
  TRANSACTION_FAILED_ON_OPERATOR: 'look-up',
  TRANSACTION_REJECTED_BY_OPERATOR: 'look-up',
  TRANSACTION_REFUSED_BY_OPERATOR: 'look-up',
  RECIPIENT_REACHED_MAX_TOPUP_NUMBER: 'look-up',
  RECIPIENT_HAS_PENDING_TRANSACTION: 'look-up',
};
