import { z } from 'zod';
import { noteThrottling } from './guard/call-health.ts';
import { callHttp, type HttpAnswer, type HttpCall, type HttpResult } from './http-call.ts';
import { readJson } from './read-json.ts';

type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'not-sent'; readonly message: string };

interface AccessToken {
  /** The current token, or a new one. A failure means that nothing was sent to the provider. */
  read(deadline: AbortSignal): Promise<TokenResult>;
  /** Discards a rejected token, unless a newer one has already replaced it. */
  forget(token: string): void;
}

/**
 * What an answer says about the access token. `rejected` is the provider's own error: it read nothing
 * else. `doubtful` is a 401 of somebody else, such as a gateway in between: the provider may have done
 * it nevertheless.
 */
export type TokenVerdict = 'accepted' | 'rejected' | 'doubtful';

interface AuthorizedCallOptions {
  /** The request for a token: OAuth 2 client credentials, as the provider wants them. */
  readonly tokenRequest: Omit<HttpCall, 'deadline'>;
  readonly judgeToken: (answer: HttpAnswer) => TokenVerdict;
}

const TOO_MANY_REQUESTS = 429;

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(60),
});

/**
 * Sends with an access token, and once more with a new one if the first is rejected. After a doubtful
 * answer only a GET is sent again; the next call logs in.
 */
export function createAuthorizedCall({ tokenRequest, judgeToken }: AuthorizedCallOptions) {
  const accessToken = createAccessToken(tokenRequest);
  return async (request: HttpCall): Promise<HttpResult> => {
    const first = await accessToken.read(request.deadline);
    if (first.kind === 'not-sent') return first;
    const answer = await callHttp(withToken(request, first.token));
    const verdict = answer.kind === 'answered' ? judgeToken(answer) : 'accepted';
    if (verdict === 'accepted') return answer;
    accessToken.forget(first.token);
    if (verdict === 'doubtful' && request.method !== 'GET') return answer;
    const second = await accessToken.read(request.deadline);
    return second.kind === 'not-sent' ? second : callHttp(withToken(request, second.token));
  };
}

/** Concurrent calls share one request for a token. */
function createAccessToken(tokenRequest: Omit<HttpCall, 'deadline'>): AccessToken {
  let current: { token: string; goodUntil: number } | undefined;
  let fetching: Promise<TokenResult> | undefined;
  let isThrottled = false;

  async function fetchToken(deadline: AbortSignal): Promise<TokenResult> {
    const answer = await callHttp({ ...tokenRequest, deadline });
    isThrottled = false;
    if (answer.kind !== 'answered') return noToken(answer.message);
    const grant = answer.status === 200 ? readJson(tokenSchema, answer.body) : undefined;
    isThrottled = answer.status === TOO_MANY_REQUESTS;
    if (!grant) return noToken(`HTTP status ${answer.status}.`);
    // A token is discarded slightly early, so that it does not expire in transit.
    const lifetimeSeconds = grant.expires_in - Math.min(30, grant.expires_in / 10);
    current = { token: grant.access_token, goodUntil: Date.now() + lifetimeSeconds * 1000 };
    return { kind: 'token', token: grant.access_token };
  }

  return {
    async read(deadline) {
      if (current && Date.now() < current.goodUntil) return { kind: 'token', token: current.token };
      fetching ??= fetchToken(deadline).finally(() => {
        fetching = undefined;
      });
      const result = await fetching;
      // Each call that shares the request has a guard that must know it.
      if (isThrottled) noteThrottling();
      return result;
    },
    forget(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

function noToken(reason: string): TokenResult {
  return { kind: 'not-sent', message: `The provider gave no access token: ${reason}` };
}

const withToken = (request: HttpCall, token: string): HttpCall => ({
  ...request,
  headers: { ...request.headers, Authorization: `Bearer ${token}` },
});
