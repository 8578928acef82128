import { addDenomination } from '../../db/companies.js';
import { endPrices } from '../../db/company-changes.js';
import { listAllDenominations } from '../../db/operator-lists.js';
import { formatAmount, formatMoney } from '../../domain/money.js';
import { AdminError } from '../admin-error.js';
import { changeCommand, lookCommand } from '../command.js';
import { amount, argument, id, oneOf, optional, required } from '../fields.js';
import { changeSubject, created, requireSubject } from '../subjects.js';
import { column, money, numbers, table } from '../tables.js';

export const createDenomination = changeCommand({
  name: 'create denomination',
  summary: 'Add an amount that gift vouchers are sold with',
  details: 'Each partner then sets its own selling price for it by the API.',
  fields: {
    product: required(id, 'The id of a product of kind GIFT'),
    amount: required(amount, 'The value of the voucher in ETB'),
  },
  examples: ['create denomination --product 1 --amount 500'],
  async change(transaction, input) {
    const { name, row } = await requireSubject(transaction, 'product', input.product);
    if (row.kind !== 'GIFT')
      throw new AdminError(`Product ${input.product} (${name}) is ${row.kind}, not GIFT.`);
    const newId = await addDenomination(transaction, {
      product_id: input.product,
      amount_etb: formatMoney(input.amount),
    });
    const details = { productId: input.product, amount: formatAmount(input.amount) };
    return created('denomination', newId, details);
  },
});

export const changeDenomination = changeCommand({
  name: 'change denomination',
  summary: 'Change the amount or the status of a denomination',
  details:
    'Vouchers that were generated keep their amount. Another amount ends the selling prices that ' +
    'partners have set, because they were set for the old one: each has to set a new price.',
  fields: {
    id: argument(id, 'The id of the denomination'),
    amount: optional(amount, 'The value of the voucher in ETB'),
    status: optional(oneOf('ACTIVE', 'INACTIVE'), 'Whether it is sold'),
  },
  examples: ['change denomination 4 --status INACTIVE'],
  async change(transaction, input) {
    const change = await changeSubject(transaction, 'denomination', input.id, {
      amount_etb: input.amount === undefined ? undefined : formatMoney(input.amount),
      status: input.status,
    });
    if ('unchanged' in change || !hasNewAmount(change.details)) return change;
    const endedPrices = await endPrices(transaction, input.id);
    return {
      ...change,
      details: { ...change.details, endedPrices },
      text: `${change.text} Selling prices ended: ${endedPrices}.`,
    };
  },
});

const hasNewAmount = ({ changes }: Readonly<Record<string, unknown>>): boolean =>
  typeof changes === 'object' && changes !== null && 'amountEtb' in changes;

export const listDenominationsCommand = lookCommand({
  name: 'list denominations',
  summary: 'Show the amounts that gift vouchers are sold with',
  fields: {},
  examples: ['list denominations'],
  async look(database) {
    const denominations = await listAllDenominations(database);
    return {
      json: denominations,
      text: table(denominations, [
        numbers('id', (row) => row.id),
        numbers('amount', (row) => money(row.amount)),
        column('status', (row) => row.status),
        column('product', (row) => `${row.product} (${row.productId})`),
      ]),
    };
  },
});
