import { NoResultError, type RawBuilder, sql } from 'kysely';
import { isDefiniteDatabaseError } from './connection.ts';

/** The due rows that a step takes: all except these ids, or only these ids. */
export type Rows<Id> = { readonly except: readonly Id[] } | { readonly only: readonly Id[] };

/** SQL condition that selects these rows. */
export const isAmong = <Id>(
  column: string,
  rows: Rows<Id>,
  type: 'bigint' | 'text',
): RawBuilder<boolean> =>
  'only' in rows
    ? sql`${sql.ref(column)} = any(${rows.only}::${sql.raw(type)}[])`
    : sql`${sql.ref(column)} <> all(${rows.except}::${sql.raw(type)}[])`;

/** The step of an expiry run for due rows of a kind. */
export interface RowStep<Id> {
  /** Ends a batch of them in one transaction; returns the number. */
  end(rows: Rows<Id>): Promise<number>;
  /** The rows of the batch that would end. */
  listDue(rows: Rows<Id>): Promise<Id[]>;
}

/** A row that the database refuses to end. */
export interface RefusedRow<Id> {
  readonly id: Id;
  readonly error: unknown;
}

interface EndedRows<Id> {
  readonly count: number;
  readonly refused: readonly RefusedRow<Id>[];
}

/** More refused rows than these have a common cause, which must be mended: the step fails as a whole. */
export const MAXIMUM_REFUSED = 100;

/**
 * Ends a batch. If the database refuses it, it is halved until each refused row is alone, so that one
 * row keeps no other from its end.
 *
 * @throws the database's error where more than `MAXIMUM_REFUSED` rows are refused, those of `except` included
 */
export async function endBatch<Id>(
  { end, listDue }: RowStep<Id>,
  except: readonly Id[],
): Promise<EndedRows<Id>> {
  try {
    return { count: await end({ except }), refused: [] };
  } catch (error) {
    if (!isDefiniteDatabaseError(error)) throw error;
    const maximum = MAXIMUM_REFUSED - except.length;
    const { isGivenUp, ...ended } = await endHalved(await listDue({ except }), end, maximum);
    if (isGivenUp) throw error;
    return ended;
  }
}

/** Ends rows by halves; gives up after `maximum` refused ones. */
export async function endHalved<Id>(
  ids: readonly Id[],
  end: RowStep<Id>['end'],
  maximum: number,
): Promise<EndedRows<Id> & { readonly isGivenUp: boolean }> {
  const parts = [ids];
  const refused: RefusedRow<Id>[] = [];
  let count = 0;
  for (let only = parts.pop(); only; only = parts.pop()) {
    const [id] = only;
    if (id === undefined) continue;
    if (refused.length >= maximum) return { count, refused, isGivenUp: true };
    try {
      count += await end({ only });
    } catch (error) {
      if (!isDefiniteDatabaseError(error)) throw error;
      const half = Math.ceil(only.length / 2);
      if (only.length === 1) refused.push({ id, error });
      else parts.push(only.slice(half), only.slice(0, half));
    }
  }
  return { count, refused, isGivenUp: false };
}

/** A row that a workflow wrote is missing, because the database was restored to an earlier moment. */
export class MissingRowError extends Error {
  override readonly name = 'MissingRowError';
}

/** Whether a statement did not find a row that must exist. */
export const isRowMissing = (error: unknown): boolean =>
  error instanceof NoResultError || error instanceof MissingRowError;
