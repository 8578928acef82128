import type { Operator } from '../../../domain/operator.ts';
import { exactAmount } from '../../exact-amount.ts';
import type { AirtimeOrder } from '../airtime.ts';

/** The airtime products with a range of amounts; every operator has its own. */
export type RangedProducts = Readonly<Record<Operator, number>>;

/** The body of `POST /async/transactions`; amounts are JSON numbers. */
export interface TransactionRequest {
  readonly external_id: string;
  readonly product_id: number;
  readonly auto_confirm: true;
  readonly credit_party_identifier: { readonly mobile_number: string };
  readonly callback_url?: string;
  readonly calculation_mode?: 'DESTINATION_AMOUNT';
  readonly destination?: {
    readonly unit_type: 'CURRENCY';
    readonly unit: 'ETB';
    readonly amount: number;
  };
}

/** The amount as an exact JSON number, or undefined where there is none. */
export function toDtOneAmount(amount: string): number | undefined {
  const exact = exactAmount(amount, { wholeDigits: 13, decimals: 2 });
  return exact === undefined ? undefined : Number(exact);
}

/**
 * The body of `POST /async/transactions`, or the reason why the provider cannot accept the order.
 */
export function toTransactionRequest(
  { reference, msisdn, product }: AirtimeOrder,
  rangedProducts: RangedProducts,
  callbackUrl: string | undefined,
): TransactionRequest | { readonly problem: string } {
  if (!/^\+[1-9][0-9]{6,14}$/.test(msisdn)) return { problem: 'The number is not E.164.' };
  if (reference.length === 0 || reference.length > 40) {
    return { problem: 'The reference has more than 40 characters, or none.' };
  }
  const common = {
    external_id: reference,
    auto_confirm: true,
    credit_party_identifier: { mobile_number: msisdn },
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
  } as const;
  if (product.kind === 'package') return { ...common, product_id: product.providerProductId };
  const amount = toDtOneAmount(product.amount);
  if (amount === undefined) return { problem: 'The provider cannot carry this amount.' };
  return {
    ...common,
    product_id: rangedProducts[product.operator],
    calculation_mode: 'DESTINATION_AMOUNT',
    destination: { unit_type: 'CURRENCY', unit: 'ETB', amount },
  };
}
