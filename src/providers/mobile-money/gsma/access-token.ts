import { z } from 'zod';
import { basicAuthorization } from '../../basic-authorization.js';
import { callHttp } from '../../http-call.js';
import { readJson } from '../../read-json.js';

export interface TokenSettings {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
}

type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'not-sent'; readonly message: string };

interface AccessToken {
  /** The current token, or a new one. A failure means that nothing was sent to the provider. */
  read(deadline: AbortSignal): Promise<TokenResult>;
  /** Discards a rejected token, unless a newer one has already replaced it. */
  forget(token: string): void;
}

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(60),
});

/** OAuth 2 client credentials (providers.md 3.1); concurrent calls share one request. */
export function createAccessToken(settings: TokenSettings): AccessToken {
  let current: { token: string; goodUntil: number } | undefined;
  let fetching: Promise<TokenResult> | undefined;

  async function fetchToken(deadline: AbortSignal): Promise<TokenResult> {
    const answer = await callHttp({
      method: 'POST',
      url: settings.url,
      headers: {
        Authorization: basicAuthorization(settings.key, settings.secret),
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      deadline,
    });
    if (answer.kind !== 'answered') return noToken(answer.message);
    const grant = answer.status === 200 ? readJson(tokenSchema, answer.body) : undefined;
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
      return fetching;
    },
    forget(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

function noToken(reason: string): TokenResult {
  return { kind: 'not-sent', message: `The provider gave no access token: ${reason}` };
}
