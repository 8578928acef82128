import { defineSearchAttributeKey } from '@temporalio/common';

/** A person must look at it: the saved view of support staff. */
export const needsAction = defineSearchAttributeKey('NeedsAction', 'BOOL');

/** Finds every workflow of one voucher. Serial numbers are not secret. */
export const voucherSerial = defineSearchAttributeKey('VoucherSerial', 'KEYWORD');

/** The number of a top-up, as partners know it. */
export const transactionId = defineSearchAttributeKey('TransactionId', 'KEYWORD');

/** Our references and the provider's own, of a payment or a top-up. None of them is secret. */
export const reference = defineSearchAttributeKey('Reference', 'KEYWORD_LIST');

/** How a payment or a top-up ended: SUCCESS or FAILED; UNKNOWN while its provider has not said. */
export const outcome = defineSearchAttributeKey('Outcome', 'KEYWORD');
