import { NoResultError } from 'kysely';

/** A row that its workflow has written before is gone: the database was restored to a moment before it. */
export class MissingRowError extends Error {
  override readonly name = 'MissingRowError';
}

/** Whether a statement did not find a row that must exist. */
export const isRowMissing = (error: unknown): boolean =>
  error instanceof NoResultError || error instanceof MissingRowError;
