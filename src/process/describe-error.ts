import pg from 'pg';

/** An error for the log. It omits PostgreSQL's own texts, which can contain values of a row. */
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
