import type { Operator } from '../../../domain/operator.ts';
import { exactAmount } from '../../exact-amount.ts';
import type { AirtimeOrder } from '../airtime.ts';

/** The provider's id of each operator's airtime. */
export type OperatorIds = Readonly<Record<Operator, number>>;

/** The body of `POST /topups-async`; amounts are JSON numbers, here in birr. */
export interface TopupRequest {
  readonly operatorId: number;
  readonly amount: number;
  readonly useLocalAmount: true;
  readonly customIdentifier: string;
  readonly recipientPhone: { readonly countryCode: 'ET'; readonly number: string };
}

/** The amount as an exact JSON number, or undefined where there is none. */
export function toReloadlyAmount(amount: string): number | undefined {
  const exact = exactAmount(amount, { wholeDigits: 13, decimals: 2 });
  return exact === undefined ? undefined : Number(exact);
}

/** The body of `POST /topups-async`, or the reason why the provider cannot accept the order. */
export function toTopupRequest(
  { reference, msisdn, product }: AirtimeOrder,
  operatorIds: OperatorIds,
): TopupRequest | { readonly problem: string } {
  if (!/^\+251[0-9]{9}$/.test(msisdn)) return { problem: 'The number is not Ethiopian.' };
  if (reference.length === 0 || reference.length > 40) {
    return { problem: 'The reference has more than 40 characters, or none.' };
  }
  if (product.kind === 'package') return { problem: 'The package is of another provider.' };
  const amount = toReloadlyAmount(product.amount);
  if (amount === undefined) return { problem: 'The provider cannot carry this amount.' };
  return {
    operatorId: operatorIds[product.operator],
    amount,
    useLocalAmount: true,
    customIdentifier: reference,
    recipientPhone: { countryCode: 'ET', number: msisdn },
  };
}
