import type { Row } from '../../db/catalogue/company-changes.ts';
import {
  beginning,
  decimalFromZero,
  lastMoment,
  oneOf,
  percent,
  reference,
  relativePath,
  text,
} from '../fields.ts';
import type { RecordKind, RecordProblem } from './record-kind.ts';

/** A promotion that partners show (specification 2.7). */
export const promo: RecordKind = {
  kind: 'promo',
  plural: 'promos',
  table: 'promos',
  identity: ['name', 'category'],
  fields: {
    name: {
      column: 'promo_name',
      parser: text,
      description: 'The name that partners see, unique in its category',
      isRequired: true,
    },
    category: {
      column: 'product_category_id',
      parser: reference,
      description: 'Its product category, by id or name',
      refersTo: 'product-category',
      isRequired: true,
    },
    description: {
      column: 'promo_description',
      parser: text,
      description: 'Its description',
      isRequired: true,
    },
    image: {
      column: 'promo_image',
      parser: relativePath,
      description: 'The relative path of its image, such as promos/meskel.png',
      isRequired: true,
    },
    start: {
      column: 'promo_start_date',
      parser: beginning,
      description: 'Its first day (UTC), or its start time',
      isRequired: true,
    },
    end: {
      column: 'promo_end_date',
      parser: lastMoment,
      description: 'Its last day (UTC), or its end time',
      isRequired: true,
    },
    discount: {
      column: 'discount_percentage',
      parser: percent,
      description: 'The discount in percent',
      whenLeftOut: '0',
    },
    bonus: {
      column: 'bonus_percentage',
      parser: percent,
      description: 'The bonus in percent',
      whenLeftOut: '0',
    },
    constraint: {
      column: 'promo_constraint',
      parser: decimalFromZero,
      description: 'The limit or condition that partners see',
      whenLeftOut: '0',
    },
    status: {
      column: 'status',
      parser: oneOf('ACTIVE', 'INACTIVE'),
      description: 'Whether partners see it',
      whenLeftOut: 'ACTIVE',
      hasOwnCommand: true,
    },
  },
  check: periodProblems,
  activation: {
    column: 'status',
    active: 'ACTIVE',
    inactive: 'INACTIVE',
  },
  help: {
    createDetails:
      'The service shows a promo to partners and changes no price: partners grant its benefit.',
    createExamples: [
      'create promo --name "Meskel gifts" --category "Gift vouchers" ' +
        '--description "Five percent off" --image promos/meskel.png ' +
        '--start 2026-12-01 --end 2026-12-31 --discount 5',
    ],
    changeExamples: ['change promo 2 --end 2027-01-15'],
    importSample: [
      'name,category,description,image,start,end,discount',
      'Meskel gifts,Gift vouchers,Five percent off,promos/meskel.png,2026-12-01,2026-12-31,5',
    ],
  },
};

function periodProblems({ promo_start_date: start, promo_end_date: end }: Row): RecordProblem[] {
  if (!(start instanceof Date && end instanceof Date) || start < end) return [];
  return [{ field: 'end', reason: 'must be after the start' }];
}
