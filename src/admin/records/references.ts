import { type ChangeableTable, findAllRows, type Row } from '../../db/catalogue/company-changes.js';
import type { DatabaseTransaction } from '../../db/connection.js';
import { listOf, nameOf, type SubjectKind } from '../record-names.js';

/** What a field may refer to. */
export type ReferenceKind = 'merchant-category' | 'product-category' | 'gift-product';

const targets: Readonly<
  Record<
    ReferenceKind,
    {
      readonly kind: SubjectKind;
      readonly table: ChangeableTable;
      /** What is wrong with a row that exists. */
      readonly problem?: (row: Row) => string | undefined;
    }
  >
> = {
  'merchant-category': { kind: 'merchant-category', table: 'merchant_categories' },
  'product-category': { kind: 'product-category', table: 'product_categories' },
  'gift-product': {
    kind: 'product',
    table: 'products',
    problem: (row) =>
      row.kind === 'GIFT' ? undefined : `names product ${row.id}, which is ${row.kind}, not GIFT`,
  },
};

/** The kind of record and the table that a field refers to. */
export const targetOf = (to: ReferenceKind) => targets[to];

/** Finds what texts name: digits are an id, anything else a name. */
export interface References {
  /** The id, or what is wrong, to be put after the field's name. */
  resolve(to: ReferenceKind, text: string): number | string;
}

/** Reads what fields may refer to, once for any number of them. */
export async function loadReferences(
  transaction: DatabaseTransaction,
  kinds: readonly ReferenceKind[],
): Promise<References> {
  const loaded = new Map<ReferenceKind, ReadonlyMap<string, readonly Row[]>>();
  for (const to of new Set(kinds)) {
    const { kind, table } = targets[to];
    const rows = await findAllRows(transaction, table);
    loaded.set(to, byIdAndName(kind, rows));
  }
  return {
    resolve(to, text) {
      const { kind, problem } = targets[to];
      const found = loaded.get(to)?.get(/^[0-9]+$/.test(text) ? `id ${Number(text)}` : text) ?? [];
      const [row] = found;
      if (!row) return `names no ${kind} that there is: see "${listOf(kind)}"`;
      if (found.length > 1)
        return `fits several (${found.map(({ id }) => id).join(', ')}): give the id`;
      return problem?.(row) ?? Number(row.id);
    },
  };
}

function byIdAndName(kind: SubjectKind, rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  const add = (key: string, row: Row) => found.set(key, [...(found.get(key) ?? []), row]);
  for (const row of rows) {
    add(`id ${row.id}`, row);
    add(nameOf(kind, row), row);
  }
  return found;
}
