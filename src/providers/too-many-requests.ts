import { noteThrottling } from './guard/call-health.ts';
import type { HttpAnswer } from './http-call.ts';
import type { NotSent } from './outcome.ts';

/** HTTP 429: the provider rejected the request, and may request a pause. It works, so no breaker opens. */
export function tooManyRequests({ retryAfterSeconds }: HttpAnswer): NotSent {
  noteThrottling();
  return {
    kind: 'not-sent',
    message: 'Too many requests.',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
