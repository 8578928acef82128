import { defineSearchAttributeKey } from '@temporalio/common';

/** A person must look at it: the saved view of support staff. */
export const needsAction = defineSearchAttributeKey('NeedsAction', 'BOOL');

/** Finds every workflow of one voucher. Serial numbers are not secret. */
export const voucherSerial = defineSearchAttributeKey('VoucherSerial', 'KEYWORD');
