import type { z } from 'zod';
import {
  type ChangeableTable,
  type ColumnChanges,
  findAllRows,
  type Row,
} from '../../db/catalogue/companies.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { argument, type Fields, id, optional, orNone, required } from '../fields.ts';
import { commandsOf, recordName, type SubjectKind } from '../record-names.ts';

/** The kinds that a field may refer to. */
type ReferenceKind = 'merchant-category' | 'product-category' | 'gift-product';

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

/**
 * Resolves a reference: digits are an id, any other text is a name. Returns the id, or the problem as the end of a
 * sentence that begins with the field's name.
 */
export type ResolveReference = (to: ReferenceKind, text: string) => number | string;

/** Loads the rows that fields may refer to, once for any number of records. */
export async function loadReferences(
  transaction: DatabaseTransaction,
  kinds: readonly ReferenceKind[],
): Promise<ResolveReference> {
  const loaded = new Map<ReferenceKind, ReadonlyMap<string, readonly Row[]>>();
  for (const to of new Set(kinds)) {
    const { kind, table } = targets[to];
    const rows = await findAllRows(transaction, table);
    loaded.set(to, byIdAndName(kind, rows));
  }
  return (to, text) => {
    const { kind, problem } = targets[to];
    const found = loaded.get(to)?.get(/^[0-9]+$/.test(text) ? `id ${Number(text)}` : text) ?? [];
    const [row] = found;
    if (!row) return `names no existing ${kind}: see "${commandsOf(kind)} list"`;
    if (found.length > 1)
      return `matches several (${found.map(({ id }) => id).join(', ')}): use the id`;
    return problem?.(row) ?? Number(row.id);
  };
}

function byIdAndName(kind: SubjectKind, rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  const add = (key: string, row: Row) => found.set(key, [...(found.get(key) ?? []), row]);
  for (const row of rows) {
    add(`id ${row.id}`, row);
    add(recordName(kind, row), row);
  }
  return found;
}

/** The kind in sentences: "merchant-category" becomes "merchant category". */
export const inWords = (kind: string): string => kind.replaceAll('-', ' ');

/** The value of a column; dates as moments, decimals as text. */
export type CellValue = string | number | boolean | Date | null;

/** Values by the names of fields; undefined where none was given. */
export type Values = Readonly<Record<string, CellValue | undefined>>;

/**
 * The problem of one field: "must be …", the end of a sentence that begins with the field's name.
 * The problem of a row as a whole follows the row's place.
 */
export interface RecordProblem {
  /** Empty for a row as a whole. */
  readonly field: string;
  readonly reason: string;
}

/** One field of a record: an option of its commands, and a column of its imports. */
interface RecordField {
  readonly parser: z.ZodType<CellValue>;
  readonly description: string;
  /** The default of a new record, as help shows it. */
  readonly whenLeftOut?: string;
  /** The column of the row; absent where the value is stored elsewhere. */
  readonly column?: string;
  /** Required for creation. */
  readonly isRequired?: true;
  /** Cannot be changed. */
  readonly isFixed?: true;
  /** Another command changes it, so "change" has no option for it. */
  readonly hasOwnCommand?: true;
  /** An empty text in "change" clears it. */
  readonly isClearable?: true;
  /** It refers to another row by id or name. */
  readonly refersTo?: ReferenceKind;
}

/** Makes fields, each by its column, the parser of its values, and its description in help. */
const fieldsOf =
  (need: Pick<RecordField, 'isRequired'>) =>
  (
    column: string,
    parser: z.ZodType<CellValue>,
    description: string,
    further: Omit<RecordField, 'column' | 'parser' | 'description' | 'isRequired'> = {},
  ): RecordField => ({ column, parser, description, ...need, ...further });

/** A field that a new record needs. */
export const needed = fieldsOf({ isRequired: true });

/** A field that a new record may have. */
export const possible = fieldsOf({});

/** What the commands that deactivate and activate a kind of record set, with their help. */
interface Activation {
  readonly column: string;
  readonly active: CellValue;
  readonly inactive: CellValue;
  readonly details?: string;
}

/**
 * A kind of record that operators maintain. Its commands and its imports derive from this one
 * description, so that they accept the same values.
 */
export interface RecordKind {
  readonly kind: SubjectKind;
  readonly plural: string;
  readonly table: ChangeableTable;
  /** In the order of help. */
  readonly fields: Readonly<Record<string, RecordField>>;
  /** The fields that identify a record uniquely. */
  readonly identity: readonly [string, ...string[]];
  /**
   * Finds contradictions. `row` has the new values; `given` has only the given values, with the ids
   * of references.
   */
  readonly check?: (row: Row, given: Values) => RecordProblem[];
  /** Consequences of a change, in its transaction. */
  readonly afterChange?: (
    transaction: DatabaseTransaction,
    id: number,
    changes: ColumnChanges,
  ) => Promise<Consequence | undefined>;
  /** The commands that come after the creation, by what they are for; `given` are the fields of the new record. */
  readonly next?: (id: number, given: Values) => Readonly<Record<string, string>>;
  readonly activation: Activation;
  readonly help: {
    readonly createDetails?: string;
    readonly changeDetails?: string;
    /** The words after the names of the commands. */
    readonly createExamples: readonly string[];
    readonly changeExamples: readonly string[];
    /** A sample of an import in CSV. */
    readonly importSample: readonly string[];
  };
}

/** A further effect of a change: for the audit log, and a sentence for the operator. */
export interface Consequence {
  readonly details: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The options of the creation. */
export const creationFields = ({ fields }: RecordKind): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { parser, description, isRequired, whenLeftOut }]) => [
      name,
      isRequired
        ? required(parser, description)
        : optional(
            parser,
            whenLeftOut === undefined ? description : `${description}; ${whenLeftOut} by default`,
          ),
    ]),
  );

/** The argument and options of a change. */
export function changeFields(kind: RecordKind): Fields {
  const changeable = Object.entries(kind.fields).filter(
    ([, field]) => !field.isFixed && !field.hasOwnCommand,
  );
  return {
    id: argument(id, `The id of the ${kind.kind}`),
    ...Object.fromEntries(
      changeable.map(([name, { parser, description, isClearable }]) => [
        name,
        isClearable
          ? optional(orNone(parser, ''), `${description}; "" for none`)
          : optional(parser, description),
      ]),
    ),
  };
}

/** The columns of a row that hold the given values. */
export const columnsOf = ({ fields }: RecordKind, given: Values): Row =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { column }]) =>
      column === undefined || given[name] === undefined ? [] : [[column, given[name]]],
    ),
  );

/** The columns that identify a record. */
export const identityColumns = ({ fields, identity }: RecordKind): string[] =>
  identity.map((name) => fields[name]?.column ?? name);

/** The identity of a row as one text. */
export const identityOf = (kind: RecordKind, row: Row): string =>
  JSON.stringify(identityColumns(kind).map((column) => row[column] ?? null));
