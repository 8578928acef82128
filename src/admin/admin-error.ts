/** A command cannot be carried out; the message is one line with the remedy. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
