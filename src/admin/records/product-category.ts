import { oneOf, text } from '../fields.ts';
import type { RecordKind } from './record-kind.ts';

/** A category of products (specification 2.9). */
export const productCategory: RecordKind = {
  kind: 'product-category',
  plural: 'product-categories',
  table: 'product_categories',
  identity: ['name'],
  fields: {
    name: {
      column: 'category_name',
      parser: text,
      description: 'Its unique name',
      isRequired: true,
    },
    description: {
      column: 'category_description',
      parser: text,
      description: 'Its description',
      isRequired: true,
    },
    status: {
      column: 'status',
      parser: oneOf('ACTIVE', 'INACTIVE'),
      description: 'Whether partners see it',
      whenLeftOut: 'ACTIVE',
      hasOwnCommand: true,
    },
  },
  activation: {
    column: 'status',
    active: 'ACTIVE',
    inactive: 'INACTIVE',
  },
  help: {
    createDetails: 'Partners find packages in the category named PACKAGES.',
    createExamples: [
      'create product-category --name PACKAGES --description "Voice and data packages"',
    ],
    changeExamples: ['change product-category 3 --description "Data packages"'],
    importSample: ['name,description', 'PACKAGES,Voice and data packages'],
  },
};
