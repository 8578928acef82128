import { endPrices } from '../../db/catalogue/company-changes.js';
import { decimalAmount, oneOf, reference } from '../fields.js';
import type { RecordKind } from './record-kind.js';

/** An amount that gift vouchers are sold with (specification 2.4). */
export const denomination: RecordKind = {
  kind: 'denomination',
  plural: 'denominations',
  table: 'gift_denominations',
  identity: ['product', 'amount'],
  fields: {
    product: {
      column: 'product_id',
      parser: reference,
      description: 'The product of kind GIFT that it is of, by id or name',
      refersTo: 'gift-product',
      isRequired: true,
      isFixed: true,
    },
    amount: {
      column: 'amount_etb',
      parser: decimalAmount,
      description: 'The value of the voucher in ETB; a product has each once',
      isRequired: true,
    },
    status: {
      column: 'status',
      parser: oneOf('ACTIVE', 'INACTIVE'),
      description: 'Whether it is sold',
      whenLeftOut: 'ACTIVE',
      hasOwnCommand: true,
    },
  },
  async afterChange(transaction, id, changes) {
    if (!('amount_etb' in changes)) return undefined;
    const endedPrices = await endPrices(transaction, 'denomination_id', id);
    return { details: { endedPrices }, text: `Selling prices ended: ${endedPrices}.` };
  },
  activation: {
    column: 'status',
    active: 'ACTIVE',
    inactive: 'INACTIVE',
    deactivate: 'Stop the sale of vouchers of a denomination',
    activate: 'Sell vouchers of a denomination again',
    details: 'Vouchers that were generated stay valid, and selling prices are kept.',
  },
  help: {
    create: 'Add an amount that gift vouchers are sold with',
    change: 'Change the amount of a denomination',
    createDetails: 'Each partner then sets its own selling price for it by the API.',
    changeDetails:
      'Vouchers that were generated keep their amount. Another amount ends the selling prices ' +
      'that partners have set, because they were set for the old one: each has to set a new price.',
    createExamples: ['create denomination --product "Gift voucher" --amount 500'],
    changeExamples: ['change denomination 4 --amount 750'],
    importSample: ['product,amount', 'Gift voucher,500', 'Gift voucher,1000'],
  },
};
