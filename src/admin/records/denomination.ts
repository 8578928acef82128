import { endPrices } from '../../db/catalogue/company-changes.ts';
import { decimalAmount, oneOf, reference } from '../fields.ts';
import type { RecordKind } from './record-kind.ts';

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
      description: 'Its product of kind GIFT, by id or name',
      refersTo: 'gift-product',
      isRequired: true,
      isFixed: true,
    },
    amount: {
      column: 'amount_etb',
      parser: decimalAmount,
      description: 'The value of the voucher in ETB, unique for its product',
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
    details: 'Generated vouchers stay valid, and selling prices are kept.',
  },
  help: {
    createDetails: 'Each partner then sets its own selling price through the API.',
    changeDetails:
      'Generated vouchers keep their amount. A new amount ends the selling prices of partners, ' +
      'because they were set for the old amount: each partner must set a new price.',
    createExamples: ['create denomination --product "Gift voucher" --amount 500'],
    changeExamples: ['change denomination 4 --amount 750'],
    importSample: ['product,amount', 'Gift voucher,500', 'Gift voucher,1000'],
  },
};
