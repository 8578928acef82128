import type { ChangeableTable, ColumnChanges, Row } from '../../db/catalogue/company-changes.js';
import type { DatabaseTransaction } from '../../db/connection.js';
import { argument, type Fields, id, optional, type Parser, required } from '../fields.js';
import type { SubjectKind } from '../record-names.js';
import type { ReferenceKind } from './references.js';

/** A kind as sentences have it: "merchant-category" is "merchant category". */
export const inWords = (kind: string): string => kind.replaceAll('-', ' ');

/** What a row holds in one column; dates as moments, decimals as text. */
export type CellValue = string | number | boolean | Date | null;

/** Values by the names of fields; undefined where nothing was given. */
export type Values = Readonly<Record<string, CellValue | undefined>>;

/** What is wrong with the value of one field: "must be …", to be put after the field's name. */
export interface RecordProblem {
  readonly field: string;
  readonly reason: string;
}

/** One thing that is known of a record: an option of its commands, and a column of its imports. */
interface RecordField {
  readonly parser: Parser<CellValue>;
  readonly description: string;
  /** What a new record has without it, as help says it. */
  readonly whenLeftOut?: string;
  /** Where the row keeps it; left out where it is kept elsewhere. */
  readonly column?: string;
  /** Nothing can be created without it. */
  readonly isRequired?: true;
  /** It stays as it was created. */
  readonly isFixed?: true;
  /** A command of its own changes it, so that "change" has no option for it. */
  readonly hasOwnCommand?: true;
  /** An empty text in "change" takes it away. */
  readonly isClearable?: true;
  /** It names another row by its id or its name. */
  readonly refersTo?: ReferenceKind;
}

/** What stops and what starts a kind of record, and what help says of it. */
interface Activation {
  readonly column: string;
  readonly active: CellValue;
  readonly inactive: CellValue;
  readonly deactivate: string;
  readonly activate: string;
  readonly details?: string;
}

/**
 * A kind of record that operators keep. Its commands and its imports are made from this one
 * description, so that they accept and refuse the same.
 */
export interface RecordKind {
  readonly kind: SubjectKind;
  readonly plural: string;
  readonly table: ChangeableTable;
  /** In the order of help. */
  readonly fields: Readonly<Record<string, RecordField>>;
  /** The fields that tell one from another: no two records have the same values in all of them. */
  readonly identity: readonly [string, ...string[]];
  /**
   * What does not fit together. The row is as it would be; `given` is what was given, with the ids
   * of what it refers to.
   */
  readonly check?: (row: Row, given: Values) => RecordProblem[];
  /** What follows from a change, in its transaction. */
  readonly afterChange?: (
    transaction: DatabaseTransaction,
    id: number,
    changes: ColumnChanges,
  ) => Promise<Consequence | undefined>;
  /** What can be asked for together with creating one: a flag, and what it does. */
  readonly uponCreation?: {
    readonly flag: string;
    readonly description: string;
    readonly work: (transaction: DatabaseTransaction, id: number) => Promise<Consequence>;
  };
  readonly activation: Activation;
  readonly help: {
    readonly create: string;
    readonly change: string;
    readonly createDetails?: string;
    readonly changeDetails?: string;
    readonly createExamples: readonly string[];
    readonly changeExamples: readonly string[];
    /** What an import in CSV looks like. */
    readonly importSample: readonly string[];
  };
}

/** What else a change did: for the audit log, and one more sentence for the operator. */
export interface Consequence {
  readonly details: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The options that create a record. */
export const creationFields = ({ fields }: RecordKind): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { parser, description, isRequired, whenLeftOut }]) => [
      name,
      isRequired
        ? required(parser, description)
        : optional(
            parser,
            whenLeftOut === undefined ? description : `${description}; ${whenLeftOut} if left out`,
          ),
    ]),
  );

/** The argument and options that change one. */
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
          ? optional(orNothing(parser), `${description}; "" for none`)
          : optional(parser, description),
      ]),
    ),
  };
}

const orNothing = ({ placeholder, parse }: Parser<CellValue>): Parser<CellValue> => ({
  placeholder,
  parse: (given) => (given === '' ? null : parse(given)),
});

/** The columns of a row that hold what was given. */
export const columnsOf = ({ fields }: RecordKind, given: Values): Row =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { column }]) =>
      column === undefined || given[name] === undefined ? [] : [[column, given[name]]],
    ),
  );

/** The columns that tell one record from another. */
export const identityColumns = ({ fields, identity }: RecordKind): string[] =>
  identity.map((name) => fields[name]?.column ?? name);

/** What tells a row from the others, as one text. */
export const identityOf = (kind: RecordKind, row: Row): string =>
  JSON.stringify(identityColumns(kind).map((column) => row[column] ?? null));
