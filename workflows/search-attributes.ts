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
