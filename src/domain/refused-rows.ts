/** Rows that a sweep ends one by one where the database refuses their batch. */
export type RefusedRowKind = 'claim' | 'top-up' | 'retry' | 'reminder';
