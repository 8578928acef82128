import { defineSearchAttributeKey } from '@temporalio/common';

/** A person must look at it: the saved view of support staff. */
export const needsAction = defineSearchAttributeKey('NeedsAction', 'BOOL');

/** Finds every workflow of one voucher. Serial numbers are not secret. */
export const voucherSerial = defineSearchAttributeKey('VoucherSerial', 'KEYWORD');

/** The number of a top-up, as partners know it. */
export const transactionId = defineSearchAttributeKey('TransactionId', 'KEYWORD');

/** FAILED while a top-up waits for a retry, UNKNOWN while its provider has not said. */
export const outcome = defineSearchAttributeKey('Outcome', 'KEYWORD');
