import { defineSearchAttributeKey } from '@temporalio/common';

/** A person must check it: the saved view of support staff. */
export const needsAction = defineSearchAttributeKey('NeedsAction', 'BOOL');

/** Finds every workflow of a voucher. Serial numbers are not secret. */
export const voucherSerial = defineSearchAttributeKey('VoucherSerial', 'KEYWORD');

/** The number of a top-up, as partners know it. */
export const transactionId = defineSearchAttributeKey('TransactionId', 'KEYWORD');

/** Our references and the provider's own, of a payment or a top-up. None of them is secret. */
export const reference = defineSearchAttributeKey('Reference', 'KEYWORD_LIST');

/**
 * The outcome of a payment or a top-up: SUCCESS, FAILED, or UNKNOWN without a result of the
 * provider.
 */
export const outcome = defineSearchAttributeKey('Outcome', 'KEYWORD');

/**
 * What the workflow does, by its kind. This and the following are set at the start of the workflow,
 * so that they cost no further write.
 */
export const operation = defineSearchAttributeKey('Operation', 'KEYWORD');

/** The partner whose money it is about. */
export const partnerId = defineSearchAttributeKey('PartnerId', 'KEYWORD');

/** The merchant that claims, or that is paid. */
export const merchantId = defineSearchAttributeKey('MerchantId', 'KEYWORD');

/**
 * Kind, amount and company of the operation, for the rows of a list. Search attributes are not encrypted, so a text
 * has no number and no code.
 */
export const summary = defineSearchAttributeKey('Summary', 'KEYWORD');

/** The keyed hash of the customer's number. */
export const numberHash = defineSearchAttributeKey('NumberHash', 'KEYWORD');
