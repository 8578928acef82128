import { type ChangeableTable, findAllRows, type Row } from '../../db/catalogue/company-changes.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { listOf, nameOf, type SubjectKind } from '../record-names.ts';

/** The kinds that a field may refer to. */
export type ReferenceKind = 'merchant-category' | 'product-category' | 'gift-product';

const targets: Readonly<
  Record<
    ReferenceKind,
    {
      readonly kind: SubjectKind;
      readonly table: ChangeableTable;
      /** The problem of an existing row that the field may not refer to. */
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

/** The kind and the table that a field refers to. */
export const targetOf = (to: ReferenceKind) => targets[to];

/** Resolves references: digits are an id, any other text is a name. */
export interface References {
  /** The id, or the problem as the end of a sentence that begins with the field's name. */
  resolve(to: ReferenceKind, text: string): number | string;
}

/** Loads the rows that fields may refer to, once for any number of records. */
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
      if (!row) return `names no existing ${kind}: see "${listOf(kind)}"`;
      if (found.length > 1)
        return `matches several (${found.map(({ id }) => id).join(', ')}): use the id`;
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
