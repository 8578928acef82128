import type { Config } from '../config/config.ts';
import type { Digests } from '../crypto/digests.ts';
import type { Database } from '../db/connection.ts';
import { numberCount, refuseByLimits } from '../db/limits/daily-limits.ts';
import { readTopupQuote, topupFacts } from '../db/topups/topups.ts';
import { type GenerationSubject, readGenerationQuote } from '../db/vouchers/generation.ts';
import { refusePartner } from '../domain/access.ts';
import { formatMoney, type Money, parseMoney } from '../domain/money.ts';
import { type Operator, operatorOf, refuseCountry } from '../domain/phone.ts';
import type { Route } from '../domain/providers.ts';
import type { Refusal } from '../domain/refusals.ts';
import { priceTopup, type TopupKind } from '../domain/topup.ts';
import { type Caller, refuseGeneration } from '../domain/vouchers/voucher.ts';

/** The present costs of an operation, and the refusal that would answer it. */
export interface Quote {
  readonly wallet: 'gift' | 'airtime';
  /** Decimal string in ETB: the balance of the wallet that would pay. */
  readonly balance: string;
  /** Decimal string in ETB; null where no price is known. */
  readonly amount: string | null;
  /** Decimal string in USD, of a voucher. */
  readonly sellingPriceUsd: string | null;
  /** The mobile operator of the number of a top-up; null for a voucher. */
  readonly operator: Operator | null;
  readonly refusal: Refusal | undefined;
}

/** The facts that choose the providers of a top-up. */
interface RoutedTopup {
  readonly kind: TopupKind;
  readonly routes: readonly Route[];
  readonly operator: Operator | undefined;
  readonly providerProductId: number | null;
}

/** The providers that a quote asks, as activities have them. */
export interface QuotedProviders {
  /** Whether any provider of a top-up can send an amount. */
  readonly canCarry: (topup: RoutedTopup, amount: Money) => boolean;
}

interface QuoteServices {
  readonly database: Database;
  readonly digests: Digests;
  readonly quotedProviders: QuotedProviders;
  readonly settings: Pick<Config, 'market' | 'vouchers' | 'topups'>;
}

/** Quotes a voucher by the checks of its generation, in their order; writes nothing. */
export async function quoteVoucher(
  { database, digests, settings }: Omit<QuoteServices, 'quotedProviders'>,
  voucher: GenerationSubject & {
    /** E.164; null for an anonymous voucher. */
    readonly msisdn: string | null;
  },
): Promise<Quote> {
  const { msisdn, ...subject } = voucher;
  const event = { event: 'vouchers', msisdn } as const;
  const number = numberCount(digests.ownerNumber, settings.vouchers, event);
  const facts = await readGenerationQuote(database, subject, number);
  const amount = parseMoney(facts.denominationAmount ?? '0');
  const refusal =
    refuseCountry(msisdn, settings.market.servedCountries) ??
    refuseGeneration(facts) ??
    refusePartner(facts) ??
    refuseByLimits(facts, { amount, number, now: new Date() });
  return {
    wallet: 'gift',
    balance: facts.giftBalance,
    amount: facts.denominationAmount,
    sellingPriceUsd: facts.sellingPriceUsd,
    operator: null,
    refusal,
  };
}

/** Quotes a top-up by the checks of its first attempt, in their order; writes nothing. */
export async function quoteTopup(
  { database, digests, quotedProviders, settings }: QuoteServices,
  topup: {
    readonly company: Caller;
    readonly kind: TopupKind;
    /** The product of a package; null for airtime. */
    readonly productId: number | null;
    /** Decimal string in ETB, of airtime. */
    readonly amount: string | null;
    /** E.164 */
    readonly msisdn: string;
  },
): Promise<Quote> {
  const { company, kind, msisdn } = topup;
  const operator = operatorOf(msisdn);
  const event = { event: 'topups', msisdn } as const;
  const number = numberCount(digests.ownerNumber, settings.vouchers, event);
  const context = await readTopupQuote(
    database,
    { partner_id: company.id, kind, product_id: topup.productId },
    { company, number },
  );
  const { routes, product } = context;
  const providerProductId = product?.providerProductId ?? null;
  const routed = { kind, routes, operator, providerProductId };
  const facts = {
    ...topupFacts(topup, context, operator),
    canCarry: (amount: Money) => quotedProviders.canCarry(routed, amount),
  };
  const terms = priceTopup(facts, settings.topups.airtimeRanges);
  const refusal = terms.ok
    ? refuseByLimits(context, { amount: terms.amount, number, now: new Date() })
    : terms;
  const price = kind === 'AIRTIME' ? facts.requestedAmount : (facts.product?.price ?? null);
  return {
    wallet: 'airtime',
    balance: context.walletBalance,
    amount: price === null ? null : formatMoney(price),
    sellingPriceUsd: null,
    operator: operator ?? null,
    refusal,
  };
}
