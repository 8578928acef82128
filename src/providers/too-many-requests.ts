import type { HttpAnswer } from './http-call.js';
import type { NotSent } from './outcome.js';

/** HTTP 429: the provider turned the request away, and may say for how long. */
export const tooManyRequests = ({ retryAfterSeconds }: HttpAnswer): NotSent => ({
  kind: 'not-sent',
  message: 'Too many requests.',
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
