import { formatAmount, formatGroupedAmount, parseMoney } from '../../domain/money.ts';
import { type Html, html } from '../../rendering/html.ts';

/** A decimal string with grouped thousands: "1,250.00". */
export const amount = (decimal: string): string => formatGroupedAmount(parseMoney(decimal));

/** An amount with its currency, without a line break. */
export const money = (decimal: string): Html =>
  html`<span class="money">ETB ${amount(decimal)}</span>`;

/** A decimal string for spreadsheets: "1250.00". */
export const plainAmount = (decimal: string): string => formatAmount(parseMoney(decimal));
