/** A server that a setting names cannot be reached; the message says which setting. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(server: string, settingName: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${server} cannot be reached (${settingName}): ${reason}`, { cause });
  }
}
