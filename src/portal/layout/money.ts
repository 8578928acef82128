import { formatAmount, formatGroupedAmount, parseMoney } from '../../domain/money.js';
import { type Html, html } from '../../process/html.js';

/** A decimal string as people read it: "1,250.00". */
export const amount = (decimal: string): string => formatGroupedAmount(parseMoney(decimal));

/** The same with its currency, never torn apart. */
export const money = (decimal: string): Html =>
  html`<span class="money">ETB ${amount(decimal)}</span>`;

/** A decimal string for spreadsheets: "1250.00". */
export const plainAmount = (decimal: string): string => formatAmount(parseMoney(decimal));
