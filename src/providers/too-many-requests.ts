import type { HttpAnswer } from './http-call.js';
import type { NotSent } from './outcome.js';

/** HTTP 429: the provider rejected the request, and may request a pause. */
export const tooManyRequests = ({ retryAfterSeconds }: HttpAnswer): NotSent => ({
  kind: 'not-sent',
  message: 'Too many requests.',
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
