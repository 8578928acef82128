import type { Operator } from '../domain/phone.ts';

/** A product of DT One: airtime with a range of amounts, or a package with a fixed price. */
export interface Product {
  readonly id: number;
  readonly name: string;
  readonly operator: Operator;
  /** In ETB. */
  readonly price: number | { readonly min: number; readonly max: number };
  /** The content of a package. */
  readonly benefit?: {
    readonly type: 'DATA' | 'TALKTIME';
    readonly unit: string;
    readonly amount: number;
  };
}

const anyAmount = { min: 1, max: 10_000 };

const data = (megabytes: number) => ({ type: 'DATA', unit: 'MB', amount: megabytes }) as const;
const voice = (minutes: number) =>
  ({ type: 'TALKTIME', unit: 'MINUTES', amount: minutes }) as const;

/** Id, name, mobile operator, price in ETB, and content of a package. */
const rows: readonly [number, string, Operator, Product['price'], Product['benefit']?][] = [
  [1001, 'Airtime', 'ETHIO_TELECOM', anyAmount],
  [1002, 'Airtime', 'SAFARICOM_ETHIOPIA', anyAmount],
  [2001, 'Daily data 500 MB', 'ETHIO_TELECOM', 15, data(500)],
  [2002, 'Weekly voice 100 minutes', 'ETHIO_TELECOM', 60, voice(100)],
  [2003, 'Monthly data 30 GB', 'ETHIO_TELECOM', 650, data(30_720)],
  [2004, 'Daily data 1 GB', 'SAFARICOM_ETHIOPIA', 20, data(1_024)],
  [2005, 'Monthly voice 1000 minutes', 'SAFARICOM_ETHIOPIA', 400, voice(1_000)],
  [2006, 'Yearly enterprise data', 'SAFARICOM_ETHIOPIA', 250_000, data(12_582_912)],
];

export const products: readonly Product[] = rows.map(([id, name, operator, price, benefit]) => ({
  id,
  name,
  operator,
  price,
  ...(benefit && { benefit }),
}));

export const findProduct = (id: unknown): Product | undefined =>
  products.find((product) => product.id === id);

const country = { iso_code: 'ETH', name: 'Ethiopia', regions: null };

/** A mobile operator in the format of DT One. */
const operators: Readonly<Record<Operator, object>> = {
  ETHIO_TELECOM: { id: 501, name: 'Ethio Telecom Ethiopia', country, regions: null },
  SAFARICOM_ETHIOPIA: { id: 502, name: 'Safaricom Ethiopia', country, regions: null },
};

/** A product in the format of DT One; `spell` writes its enumerations. */
export function productAnswer(product: Product, spell = (word: string) => word) {
  const { id, name, operator, price, benefit } = product;
  const isFixed = typeof price === 'number';
  return {
    id,
    name,
    description: `${name} (${operator})`,
    tags: [benefit?.type ?? 'AIRTIME'],
    service: { id: 1, name: 'Mobile', subservice: null },
    operator: operators[operator],
    regions: null,
    type: spell(isFixed ? 'FIXED_VALUE_RECHARGE' : 'RANGED_VALUE_RECHARGE'),
    required_credit_party_identifier_fields: [['mobile_number']],
    calculation_modes: isFixed ? null : [spell('DESTINATION_AMOUNT')],
    destination: { unit_type: spell('CURRENCY'), unit: 'ETB', amount: price },
    benefits: benefit
      ? [
          {
            type: spell(benefit.type),
            unit: benefit.unit,
            amount: { base: benefit.amount, total_excluding_tax: benefit.amount },
          },
        ]
      : [],
    promotions: null,
  };
}
