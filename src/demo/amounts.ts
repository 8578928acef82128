import { formatAmount, type Money, parseMoney } from '../domain/money.ts';

/** An amount of the APIs: a JSON number for balances, text for vouchers. */
export const moneyOf = (amount: number | string): Money => parseMoney(String(amount));

/** An amount for people. */
export const inBirr = (money: Money): string => `ETB ${formatAmount(money)}`;
