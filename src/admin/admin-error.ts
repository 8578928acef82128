/** A command cannot be carried out; the message is one line that says what to do. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
