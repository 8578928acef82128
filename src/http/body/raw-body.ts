import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

/** The largest body of a request, where the endpoint names no other. */
export const BODY_LIMIT_BYTES = 65_536;

export type RawBodyFailure = 'too-large' | 'unsupported-encoding' | 'aborted';

/** The body could not be read. `too-large` answers 413, `unsupported-encoding` 415 (design 3). */
export class RawBodyError extends Error {
  override readonly name = 'RawBodyError';

  readonly failure: RawBodyFailure;

  constructor(failure: RawBodyFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** How long the rest of a refused body is read, so that its sender can read the answer. */
const DISCARD_MILLISECONDS = 5_000;

/**
 * The bytes of a request's body exactly as sent, because signatures cover them (design 8). Throws a
 * RawBodyError above the limit, for a compressed body, and when the caller disconnects. After a
 * refusal the rest of the body is discarded and the request can be answered.
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
      throw new RawBodyError('aborted', 'The caller disconnected before the body was complete.');
    }
    throw error;
  }
}

/**
 * An immediate close would reset the connection, and many clients would lose the answer. A body
 * without end is cut off after a while.
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const cutOff = setTimeout(() => request.destroy(), DISCARD_MILLISECONDS);
  cutOff.unref();
  request.once('close', () => clearTimeout(cutOff));
  request.resume();
}
