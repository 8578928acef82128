import { mapParser, oneOf, text } from '../fields.ts';
import type { RecordKind } from './record-kind.ts';

/** A category of merchants (specification 2.6). */
export const merchantCategory: RecordKind = {
  kind: 'merchant-category',
  plural: 'merchant-categories',
  table: 'merchant_categories',
  identity: ['name'],
  fields: {
    name: {
      column: 'category_name',
      parser: text,
      description: 'The name that partners see; no other category has it',
      isRequired: true,
    },
    status: {
      column: 'is_active',
      parser: mapParser(oneOf('ACTIVE', 'INACTIVE'), (status) => status === 'ACTIVE'),
      description: 'Whether it is in use',
      whenLeftOut: 'ACTIVE',
      hasOwnCommand: true,
    },
  },
  activation: {
    column: 'is_active',
    active: true,
    inactive: false,
  },
  help: {
    createExamples: ['create merchant-category --name Restaurants'],
    changeExamples: ['change merchant-category 2 --name "Food and drink"'],
    importSample: ['name,status', 'Restaurants,ACTIVE', '"Books, papers and pens",ACTIVE'],
  },
};
