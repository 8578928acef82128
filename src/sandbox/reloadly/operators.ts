import type { Operator } from '../../domain/operator.ts';
import { findProduct, type Product } from '../dt-one/products.ts';

/** The account is not kept in birr, as a real one need not be. */
export const ACCOUNT_CURRENCY = 'USD';

/** Of the times of its API, as public samples suggest (src/config/providers). */
export const ACCOUNT_ZONE = 'America/New_York';

/** The airtime of each operator: Reloadly's id, its name, and the product in the books. */
const operators: Readonly<
  Record<Operator, { readonly id: number; readonly name: string; readonly productId: number }>
> = {
  ETHIO_TELECOM: { id: 3001, name: 'Ethio Telecom Ethiopia', productId: 1001 },
  SAFARICOM_ETHIOPIA: { id: 3002, name: 'Safaricom Ethiopia', productId: 1002 },
};

export const findOperatorProduct = (id: unknown): Product | undefined =>
  findProduct(Object.values(operators).find((operator) => operator.id === id)?.productId);

/** An operator in the format of Reloadly. */
export function operatorAnswer(operator: Operator): object {
  const { id, name, productId } = operators[operator];
  const price = findProduct(productId)?.price;
  const { min, max } = typeof price === 'object' ? price : { min: null, max: null };
  return {
    id,
    operatorId: id,
    name,
    bundle: false,
    data: false,
    pin: false,
    supportsLocalAmounts: true,
    denominationType: 'RANGE',
    senderCurrencyCode: ACCOUNT_CURRENCY,
    destinationCurrencyCode: 'ETB',
    localMinAmount: min,
    localMaxAmount: max,
    country: { isoName: 'ET', name: 'Ethiopia' },
    status: 'ACTIVE',
  };
}

export const operatorAnswers = (): object[] =>
  (Object.keys(operators) as Operator[]).map(operatorAnswer);

export const namesOf = ({ operator }: Product) => ({
  operatorId: operators[operator].id,
  operatorName: operators[operator].name,
});
