import type { ColumnType } from 'kysely';

/** Exact decimal as text in both directions. */
export type Numeric = string;
export type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
export type Json<T> = ColumnType<T, string, string>;

export type CompanyKind = 'partner' | 'merchant';
