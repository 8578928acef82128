import { sql } from 'kysely';
import type { Database } from '../../../src/db/connection.ts';
import { connectRaw } from '../../runtime/temporal/raw-history.ts';

/** Secrets by what they are; each is looked for in every form that could give it away. */
export interface Canary {
  add(kind: string, ...values: string[]): void;
  /** Which kinds of secrets a text holds. */
  foundIn(text: string): string[];
}

export function createCanary(): Canary {
  const patterns: { readonly kind: string; readonly pattern: RegExp }[] = [];
  return {
    add(kind, ...values) {
      for (const value of values) {
        const forms = formsOf(kind, value).map((form) =>
          form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
        );
        // Six digits are part of many a time and number: only whole ones are the code.
        const pattern =
          kind === 'verification code'
            ? `(?<![0-9A-Za-z])${value}(?![0-9A-Za-z])`
            : kind.endsWith('number')
              ? [wholeNumber(value), ...forms.slice(1)].join('|')
              : forms.join('|');
        patterns.push({ kind, pattern: new RegExp(pattern, 'i') });
      }
    },
    foundIn: (text) => [
      ...new Set(patterns.filter(({ pattern }) => pattern.test(text)).map(({ kind }) => kind)),
    ],
  };
}

function formsOf(kind: string, value: string): string[] {
  const plain = plainForms(kind, value);
  return plain.flatMap((form) => [form, Buffer.from(form).toString('hex'), ...inBase64(form)]);
}

/** A time in nanoseconds may end with the nine digits of a number: they stand alone, or behind a prefix. */
const wholeNumber = (value: string): string => `(?<![0-9])(?:251|0)?${value.slice(-9)}(?![0-9])`;

function plainForms(kind: string, value: string): string[] {
  // Its last nine digits are in every way to write an Ethiopian number.
  if (kind.endsWith('number')) return [value.slice(-9)];
  return kind === 'voucher code' ? [value, value.replaceAll('-', '')] : [value];
}

/** Characters of base64 have six bits, so that a text looks otherwise after one byte, and after two. */
const BITS = 6;

/**
 * The characters of base64, in both alphabets, that a text becomes anywhere in a longer one: without
 * those at its ends, which share their bits with what is beside it.
 */
function inBase64(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const [first, end] = [Math.ceil((before * 8) / BITS), Math.floor((bytes.length * 8) / BITS)];
    return (['base64', 'base64url'] as const).map((name) => bytes.toString(name).slice(first, end));
  });
}

/** A search for what a text must hold: one that finds nothing of it would prove nothing. */
export function createControl(kind: string, value: string): Canary {
  const control = createCanary();
  control.add(kind, value);
  return control;
}

/**
 * What histories, logs and traces of claims tell of them, and the database keeps: serial numbers are not
 * secret.
 */
export async function createClaimControl(database: Database): Promise<Canary> {
  const { serial_number } = await database
    .selectFrom('vouchers')
    .innerJoin('voucher_claims', 'voucher_id', 'vouchers.id')
    .select('serial_number')
    .executeTakeFirstOrThrow();
  return createControl('serial number of a voucher', serial_number);
}

/** The columns of a database that hold secrets, as "table.column: kind". */
export async function secretsInDatabase(database: Database, canary: Canary): Promise<string[]> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'jsonb', 'bytea', 'ARRAY')
    order by table_name, column_name`.execute(database);
  const found: string[] = [];
  for (const { table, column } of columns) {
    const { rows } = await sql<{ value: string | null }>`
      select ${sql.ref(column)}::text as value from ${sql.table(table)}`.execute(database);
    const text = rows.map(({ value }) => value ?? '').join('\n');
    found.push(...canary.foundIn(text).map((kind) => `${table}.${column}: ${kind}`));
  }
  return found;
}

/** The kinds of secrets in what Temporal stores of a task queue's workflows, and how many there are. */
export async function secretsInHistories(
  temporal: { readonly address: string; readonly taskQueue: string },
  canary: Canary,
): Promise<{ readonly found: string[]; readonly workflowIds: string[] }> {
  const raw = await connectRaw(temporal.address);
  try {
    const workflowIds = await raw.workflowIds(temporal.taskQueue);
    const texts = await Promise.all(workflowIds.map(raw.textOf));
    return { found: canary.foundIn(texts.join('\n')), workflowIds };
  } finally {
    await raw.close();
  }
}
