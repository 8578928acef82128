import type { IncomingHttpHeaders } from 'node:http';
import { environmentOfApiKey } from '../../crypto/random.ts';
import type { Scope } from '../../domain/access.ts';
import { type Refusal, refuse, type Surface } from '../../domain/refusals.ts';
import type { Caller } from '../../domain/vouchers/voucher.ts';
import type { RefusalReply } from '../envelope.ts';
import type { Services } from '../services.ts';
import type { Access } from './access-directory.ts';

/** An admitted company and its source address. */
interface Admitted {
  readonly ok: true;
  readonly company: Caller;
  readonly access: Access;
}

/** A caller with the API key of its token, and what this key may do. */
export interface Authenticated extends Admitted {
  readonly apiKeyId: number;
  readonly scopes: ReadonlySet<Scope>;
}

/** Cache lifetime of access plus the permitted clock difference between processes. */
const NEW_TOKEN_SECONDS = 7;

/**
 * Authenticates a request (specification 5): its token, the current state of its company and key,
 * and its source address. A refusal names the company of the token, if the token is ours.
 */
export async function authenticate(
  services: Services,
  surface: Surface,
  request: { readonly headers: IncomingHttpHeaders; readonly sourceAddress: string },
): Promise<Authenticated | RefusalReply> {
  const sent = tokensOf(request.headers);
  const token = sent.length === 1 ? sent[0] : undefined;
  const claims = token && (await services.accessTokens.verify(token, surface));
  if (!claims) return refuse('token-invalid', await mistakenToken(services, surface, sent));
  const { companyId, apiKeyId, tokenVersion } = claims;
  const company = { kind: surface, id: companyId };
  const currentKey = (access: Access | undefined) =>
    access?.tokenVersion === tokenVersion ? access.apiKeys.get(apiKeyId) : undefined;
  const caller = { company, apiKeyId };
  if (claims.isExpired) return { ...refuse('token-invalid'), caller };
  let access = await services.accessDirectory(company);
  // Only a fresh token can belong to a key that is newer than the cache; an old token costs no
  // query.
  const mayBeNewer = Date.now() / 1_000 - claims.issuedAt < NEW_TOKEN_SECONDS;
  if (!currentKey(access) && mayBeNewer) access = await services.accessDirectory(company, 'fresh');
  const key = currentKey(access);
  if (!access || !key) return { ...refuse('token-invalid'), caller };
  const credential = { apiKeyId, tokenVersion, ...(key.isLimited && LIMITED) };
  const admitted = admit({ ...company, credential }, access, request.sourceAddress);
  if (!admitted.ok) return { ...admitted, caller };
  return { ...admitted, apiKeyId, scopes: key.scopes };
}

/**
 * The kind of text that was sent in place of a token of this API, for people; nothing where it is
 * unknown.
 */
async function mistakenToken(
  { accessTokens }: Services,
  surface: Surface,
  [token, ...others]: readonly string[],
): Promise<Pick<Refusal, 'detail'>> {
  if (token === undefined) return {};
  if (others.length > 0) return { detail: 'x-api-token and Authorization have different tokens' };
  if (token.includes(',')) return { detail: 'x-api-token was sent more than once' };
  if (environmentOfApiKey(token) !== undefined)
    return { detail: 'this is an API key, for which POST /auth/login answers an access token' };
  const other = otherSurface(surface);
  const isOfOther = (await accessTokens.verify(token, other)) !== undefined;
  return isOfOther ? { detail: `this is an access token of the ${other} API` } : {};
}

/** The API that a caller may have meant. */
export const otherSurface = (surface: Surface): Surface =>
  surface === 'partner' ? 'merchant' : 'partner';

const LIMITED = { isLimited: true } as const;

/** The checks that log-in shares with every later request. */
export function admit(company: Caller, access: Access, sourceAddress: string): Admitted | Refusal {
  if (!access.source.isRegisteredAddress(sourceAddress))
    return notRegistered(access, sourceAddress);
  // A deactivated merchant is admitted; each operation refuses it with its own reason (4043).
  if (access.status === 'SUSPENDED') return refuse('account-suspended');
  return { ok: true, company, access };
}

const notRegistered = ({ source }: Access, sourceAddress: string): Refusal =>
  source.awaitsNames()
    ? refuse('address-not-registered', {
        detail: `${sourceAddress}; a registered name is being resolved: try again in a moment`,
        retryAfterSeconds: 1,
      })
    : refuse('address-not-registered', { detail: sourceAddress });

/** The different tokens of `x-api-token`, with or without the prefix Bearer, and of `Authorization: Bearer`. */
function tokensOf(headers: IncomingHttpHeaders): readonly string[] {
  const bearer = /^Bearer[ \t]+([\w.~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1];
  const given = [headers['x-api-token']].flat()[0]?.replace(/^Bearer[ \t]+/i, '');
  // A header without a value is no token.
  return [...new Set([given, bearer])].flatMap((token) => token || []);
}
