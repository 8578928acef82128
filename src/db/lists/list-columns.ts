import type { RawBuilder } from 'kysely';
import type { ListColumn, LookUp } from './list-query.js';

const ofKind =
  (kind: ListColumn['kind']) =>
  (expression: RawBuilder<unknown>): ListColumn => ({ kind, expression });

/** The columns of lists, by what they hold. */
export const listColumns = {
  text: ofKind('text'),
  /** Text in which `search` looks. */
  searched: (expression: RawBuilder<unknown>): ListColumn => ({
    kind: 'text',
    expression,
    isSearched: true,
  }),
  /** The same, of a joined table. */
  related: (expression: RawBuilder<unknown>): ListColumn => ({
    kind: 'text',
    expression,
    isSearched: true,
    isRelated: true,
  }),
  integer: ofKind('integer'),
  decimal: ofKind('decimal'),
  time: ofKind('time'),
  boolean: ofKind('boolean'),
  lookUp: (matches: LookUp['matches']): LookUp => ({ kind: 'look-up', matches }),
};
