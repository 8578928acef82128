import type { Operator } from '../domain/phone.ts';

/** A product of DT One: airtime with a range of amounts, or a package with a fixed price. */
export interface Product {
  readonly id: number;
  readonly name: string;
  readonly operator: Operator;
  /** In ETB. */
  readonly price: number | { readonly min: number; readonly max: number };
}

const anyAmount = { min: 1, max: 10_000 };

/** Id, name, mobile operator, and price in ETB. */
const rows: readonly [number, string, Operator, Product['price']][] = [
  [1001, 'Airtime', 'ETHIO_TELECOM', anyAmount],
  [1002, 'Airtime', 'SAFARICOM_ETHIOPIA', anyAmount],
  [2001, 'Daily data 500 MB', 'ETHIO_TELECOM', 15],
  [2002, 'Weekly voice 100 minutes', 'ETHIO_TELECOM', 60],
  [2003, 'Monthly data 30 GB', 'ETHIO_TELECOM', 650],
  [2004, 'Daily data 1 GB', 'SAFARICOM_ETHIOPIA', 20],
  [2005, 'Monthly voice 1000 minutes', 'SAFARICOM_ETHIOPIA', 400],
  [2006, 'Yearly enterprise data', 'SAFARICOM_ETHIOPIA', 250_000],
];

export const products: readonly Product[] = rows.map(([id, name, operator, price]) => ({
  id,
  name,
  operator,
  price,
}));

export const findProduct = (id: unknown): Product | undefined =>
  products.find((product) => product.id === id);
