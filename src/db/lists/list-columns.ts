import type { RawBuilder } from 'kysely';
import type { ListColumn, LookUp } from './list-query.ts';

const ofKind =
  (kind: ListColumn['kind']) =>
  (expression: RawBuilder<unknown>): ListColumn => ({ kind, expression });

/** Constructors of list columns by type. */
export const listColumns = {
  text: ofKind('text'),
  /** Text that `search` covers. */
  searched: (expression: RawBuilder<unknown>): ListColumn => ({
    kind: 'text',
    expression,
    isSearched: true,
  }),
  /** Text of a joined table. */
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
