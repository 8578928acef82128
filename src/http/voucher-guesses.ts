import type { Refusal } from '../domain/errors.js';
import type { Company } from '../domain/voucher.js';
import { refuseTooMany } from './rate-limits.js';
import type { Services } from './services.js';
import { addressGroup } from './source-address.js';

/** Who asks for a voucher by its code. */
export interface Asker {
  readonly company: Company;
  readonly sourceAddress: string;
}

const budgets = ({ company, sourceAddress }: Asker) =>
  [
    ['voucher-misses-of-company', `${company.kind} ${company.id}`],
    ['voucher-misses-of-address', addressGroup(sourceAddress)],
  ] as const;

/** The refusal of who has asked for too many vouchers that do not exist or are another's (F51). */
export async function refuseGuessing(
  { rateLimits }: Services,
  asker: Asker,
): Promise<Refusal | undefined> {
  for (const [policy, subject] of budgets(asker)) {
    const exhausted = await rateLimits.exhausted(policy, subject);
    if (exhausted) return refuseTooMany(exhausted);
  }
  return undefined;
}

/**
 * Counts an answer that a guess would get. Only what may be a code counts: a mistyped one fails its
 * check character and tells nobody anything.
 */
export async function countGuess(
  { rateLimits }: Services,
  asker: Asker,
  code: { readonly canonical: string | undefined },
  refusal: Pick<Refusal, 'reason'>,
): Promise<void> {
  const isForeign = refusal.reason === 'voucher-restricted' && asker.company.kind === 'merchant';
  const isMiss = refusal.reason === 'voucher-not-found' || isForeign;
  if (!isMiss || code.canonical === undefined) return;
  for (const [policy, subject] of budgets(asker)) await rateLimits.spend(policy, subject);
}
