import pg from 'pg';

/** An error for the log. PostgreSQL's own texts are left out: they can hold the values of a row. */
export function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof pg.DatabaseError)
    return { error: 'DatabaseError', code: error.code, constraint: error.constraint };
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    errorMessage: error.message,
    stack: error.stack,
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  };
}
