import { parseMoney } from '../money.ts';
import { type Refusal, refuse } from '../refusals.ts';

/** The facts that a generation is decided by; a missing merchant, denomination or price is null. */
export interface GenerationFacts {
  readonly hasAccess: boolean;
  readonly merchantId: number | null;
  /** Decimal strings. */
  readonly denominationAmount: string | null;
  readonly sellingPriceUsd: string | null;
  readonly giftBalance: string;
}

/** Checks a generation: the first failing rule is the refusal; undefined permits it. */
export function refuseGeneration(facts: GenerationFacts): Refusal | undefined {
  const { merchantId, denominationAmount, sellingPriceUsd } = facts;
  if (!facts.hasAccess) return refuse('product-not-accessible');
  if (denominationAmount === null) return refuse('denomination-not-found');
  if (merchantId === null) return refuse('merchant-not-found');
  if (sellingPriceUsd === null) return refuse('price-not-defined');
  if (parseMoney(facts.giftBalance) < parseMoney(denominationAmount))
    return refuse('money-insufficient');
  return undefined;
}

/** Whether the partner may generate at all, as the database knows it. */
export interface GenerationAuthority {
  readonly isAdmitted: boolean;
  readonly partnerIsActive: boolean;
}

/** Checks the caller of a generation whose facts permit it. */
export function refuseGenerator(authority: GenerationAuthority): Refusal | undefined {
  if (!authority.isAdmitted) return refuse('token-invalid');
  if (!authority.partnerIsActive) return refuse('account-suspended');
  return undefined;
}
