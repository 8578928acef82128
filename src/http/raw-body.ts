import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

export type RawBodyFailure = 'too-large' | 'unsupported-encoding' | 'aborted';

/** The body could not be read. `too-large` is a 413, `unsupported-encoding` a 415 (design 3). */
export class RawBodyError extends Error {
  override readonly name = 'RawBodyError';

  constructor(
    readonly failure: RawBodyFailure,
    message: string,
  ) {
    super(message);
  }
}

/** How long the rest of a refused body is read, so that its sender can still read the answer. */
const DISCARD_MILLISECONDS = 5_000;

/**
 * The bytes of a request's body, exactly as they were sent, because signatures are over them
 * (design 8). Throws a RawBodyError above the limit, for a compressed body, and where the caller
 * hung up. After a refusal the rest of the body flows by unread and the request can be answered.
 */
export async function readRawBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    discardRest(request);
    throw new RawBodyError('unsupported-encoding', 'Send the body without Content-Encoding.');
  }
  try {
    return await getRawBody(request, {
      limit: limitBytes,
      length: request.headers['content-length'] ?? null,
    });
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') {
      discardRest(request);
      throw new RawBodyError('too-large', `The body may have at most ${limitBytes} bytes.`);
    }
    if (type === 'request.aborted') {
      throw new RawBodyError('aborted', 'The caller hung up before the body was complete.');
    }
    throw error;
  }
}

/**
 * Closing at once would make the system reset the connection and many clients lose the answer; a
 * body that never ends is cut off after a while.
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const cutOff = setTimeout(() => request.destroy(), DISCARD_MILLISECONDS);
  cutOff.unref();
  request.once('close', () => clearTimeout(cutOff));
  request.resume();
}
