/** The demo cannot go on; its message is for the person who runs it. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
