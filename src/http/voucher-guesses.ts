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

const companyBudget = ({ company }: Asker) =>
  ['voucher-misses-of-company', `${company.kind} ${company.id}`] as const;
const addressBudget = ({ sourceAddress }: Asker) =>
  ['voucher-misses-of-address', addressGroup(sourceAddress)] as const;

/**
 * The refusal of who has asked for too many vouchers that do not exist or are another's (F51).
 * Companies may share an address: only those that have guessed themselves answer for it.
 */
export async function refuseGuessing(
  { rateLimits }: Services,
  asker: Asker,
): Promise<Refusal | undefined> {
  const ofCompany = await rateLimits.look(...companyBudget(asker));
  if (!ofCompany) return undefined;
  if (!ofCompany.ok) return refuseTooMany(ofCompany);
  const ofAddress = await rateLimits.look(...addressBudget(asker));
  return ofAddress && !ofAddress.ok ? refuseTooMany(ofAddress) : undefined;
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
  await rateLimits.spend(...companyBudget(asker));
  await rateLimits.spend(...addressBudget(asker));
}
