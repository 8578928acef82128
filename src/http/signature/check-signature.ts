import { bindSignedRequest } from '../../db/access/access.ts';
import { listRevokedPublicKeys } from '../../db/access/company-access.ts';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import type { Authenticated } from '../access/authentication.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { diagnoseSignature, type UnmatchedSignature } from './diagnose-signature.ts';
import { parsePublicKey } from './public-key.ts';
import { verifySignature } from './verify-signature.ts';

/**
 * A request with a valid signature, and the digests that may be used only once.
 */
export interface SignedRequest {
  readonly ok: true;
  readonly merchantId: number;
  readonly bodyDigest: string;
  /** Undefined when the message is a time, which need not be unique. */
  readonly messageDigest: string | undefined;
}

/**
 * Verifies `x-signature` over the raw bytes, before they are parsed. A refusal says which
 * mistake the merchant made, as often as the merchant's limit allows.
 */
export async function checkSignature(
  services: Services,
  caller: Authenticated,
  header: string | string[] | undefined,
  rawBody: Buffer,
): Promise<SignedRequest | Refusal> {
  const check = verifySignature({
    header: typeof header === 'string' ? header : undefined,
    body: rawBody,
    publicKeys: caller.access.publicKeys,
    now: Date.now(),
  });
  if (!check.ok) {
    const cause = check.unmatched && (await findCause(services, caller, check.unmatched));
    return refuse('signature-invalid', { detail: cause ?? check.reason });
  }
  return {
    ok: true,
    merchantId: caller.company.id,
    bodyDigest: services.digests.request(rawBody),
    messageDigest: check.messageKind === 'id' ? services.digests.request(check.message) : undefined,
  };
}

/** A diagnosis takes some thirty verifications, so each merchant has a limit of them. */
async function findCause(
  { database, rateLimits }: Services,
  { company, access }: Authenticated,
  unmatched: UnmatchedSignature,
): Promise<string | undefined> {
  const quota = await rateLimits.spend('signature-diagnoses', `merchant ${company.id}`);
  if (!quota.ok) return undefined;
  return diagnoseSignature(unmatched, access.publicKeys, async (limit) => {
    const pems = await listRevokedPublicKeys(database, company.id, limit);
    return pems.map(parsePublicKey);
  });
}

/**
 * Binds the bytes to what they are sent to, and the message to the bytes. False where one of them
 * was used before for a different request. A path is not signed. Without its parameters in the
 * binding, bytes that were refused for one redemption would reverse another redemption.
 */
export const isFirstUse = (
  services: Services,
  { endpoint, params }: { readonly endpoint: Endpoint; readonly params?: unknown },
  { merchantId, bodyDigest, messageDigest }: SignedRequest,
): Promise<boolean> =>
  bindSignedRequest(services.database, {
    merchantId,
    target: targetOf(endpoint, params),
    bodyDigest,
    messageDigest,
  });

/** The path with its parameters, as they were validated. */
const targetOf = ({ path }: Endpoint, params: unknown): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => String(Object(params)[name]));
