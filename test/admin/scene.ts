import { randomUUID } from 'node:crypto';
import type { SystemUser } from '../../src/admin/command.ts';
import { commandsOf } from '../../src/admin/record-names.ts';
import { recordKinds } from '../../src/admin/records/kinds.ts';
import { runAdmin } from '../../src/admin/run-admin.ts';
import type { Environment } from '../../src/config/config.ts';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import { environmentOf } from '../harness/environment-of.ts';
import { findBrokenInvariants } from '../support/broken-invariants.ts';
import { createTestDatabase } from '../support/database.ts';
import { breakStatement } from '../support/database-faults.ts';

/** 32 bytes, as DIGEST_KEY has them. */
const DIGEST_KEY = Buffer.alloc(32, 7).toString('base64');

const DATA_KEYS = `k1:${Buffer.alloc(32, 8).toString('base64')}`;

/** What one command printed and returned. */
export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The operator's commands, as a person types them. */
export interface Commands {
  /** Runs a command; one text of words without quotes, or the words. */
  admin(words: string | readonly string[]): Promise<Printed>;
  /** Runs a command that must succeed and reads its JSON document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape.
  json(words: string | readonly string[]): Promise<any>;
}

const listOf = (words: string | readonly string[]) =>
  typeof words === 'string' ? words.split(' ') : words;

/** Commands in this process, with these settings; the passwords that they make cost as little as a setting allows. */
export function commandsOn(
  environment: Environment,
  user: SystemUser = { id: 1_000, name: 'hanna' },
): Commands {
  const admin: Commands['admin'] = async (words) => {
    let out = '';
    let err = '';
    const code = await runAdmin(listOf(words), {
      environment: environmentOf({ PORTAL_PASSWORD_COST: '4', ...environment }),
      user,
      out: { write: (text) => (out += text) },
      err: { write: (text) => (err += text) },
    });
    return { code, out, err };
  };
  return {
    admin,
    async json(words) {
      const { code, out, err } = await admin([...listOf(words), '--json']);
      if (code !== 0) throw new Error(`${words} ended with ${code}: ${err}${out}`);
      return JSON.parse(out);
    },
  };
}

/** Commands on a database of their own. */
export interface AdminScene extends Commands {
  /** The settings of the commands. */
  readonly environment: Environment;
  readonly database: Database;
  auditRows(): Promise<{ actor: string; action: string; details: unknown }[]>;
  /** Checks the invariants of the ledger and drops the database. */
  close(): Promise<void>;
}

export async function openScene(): Promise<AdminScene> {
  const testDatabase = await createTestDatabase();
  const database = connectDatabase(testDatabase.url, { poolSize: 6 });
  const environment = {
    DATABASE_URL: testDatabase.urlFor('operator'),
    DATABASE_READ_URL: testDatabase.urlFor('reports'),
    DIGEST_KEY,
    DATA_KEYS,
  };
  return {
    ...commandsOn(environment),
    environment,
    database,
    auditRows: () =>
      database
        .selectFrom('audit_log')
        .select(['actor', 'action', 'details'])
        .orderBy('id')
        .execute(),
    async close() {
      const broken = await findBrokenInvariants(database);
      await database.destroy();
      await testDatabase.drop();
      if (broken.length > 0) throw new Error(`Broken invariants:\n${broken.join('\n')}`);
    },
  };
}

/** Runs a command that fails at each entry of the audit log, as where its connection is lost at that moment. */
export async function withoutEntry(
  database: Database,
  command: () => Promise<Printed>,
): Promise<Printed> {
  const mend = await breakStatement(database, {
    table: 'audit_log',
    on: 'insert',
    code: '57P01',
  });
  try {
    return await command();
  } finally {
    await mend();
  }
}

/** What vouchers are made of, all made by commands. */
export interface Catalogue {
  readonly partnerId: number;
  readonly merchantId: number;
  readonly giftProductId: number;
  readonly denominationId: number;
}

export async function makeCatalogue(scene: AdminScene): Promise<Catalogue> {
  const { id: partnerId } = await scene.json(['partner', 'create', '--name', 'Acme Gifts']);
  const { id: merchantId } = await scene.json(merchantWords(randomUUID()));
  const { id: categoryId } = await scene.json(
    `product category create --name ${randomUUID()} --description Gifts`,
  );
  const { id: giftProductId } = await scene.json(
    `product create --name Gift-${randomUUID()} --kind GIFT --category ${categoryId} --pricing-type SERVICE_FEE`,
  );
  await scene.json(`partner product grant --partner ${partnerId} --product ${giftProductId}`);
  const { id: denominationId } = await scene.json(
    `product denomination create --product ${giftProductId} --amount 500`,
  );
  return { partnerId, merchantId, giftProductId, denominationId };
}

/** The same, and a partner with ETB 100,000 in each wallet. */
export async function makeFundedCatalogue(scene: AdminScene): Promise<Catalogue> {
  const catalogue = await makeCatalogue(scene);
  for (const wallet of ['gift', 'airtime'])
    await scene.json(
      `money deposit --partner ${catalogue.partnerId} --wallet ${wallet} --amount 100000`,
    );
  return catalogue;
}

/** The words before the verb in the commands of records, by their plural. */
export function groupOf(plural: string): string {
  if (plural === 'partners') return commandsOf('partner');
  const kind = recordKinds.find((one) => one.plural === plural);
  if (kind === undefined) throw new Error(`There are no records "${plural}"`);
  return commandsOf(kind.kind);
}

/** The words that create a merchant, with a fee of 2.5 % and a payout account. */
export const merchantWords = (identifier: string): string[] => [
  ...['merchant', 'create', '--name', 'Abyssinia Coffee', '--type', 'RETAIL'],
  ...['--identifier-type', '1', '--identifier', identifier],
  ...['--email', 'owner@coffee.example', '--phone', '+251911001001', '--address', 'Addis Ababa'],
  ...['--service-fee', '2.5', '--payout-key', 'msisdn', '--payout-value', '+251911001000'],
];

/** The document of `money statement --json`, as far as tests look into it. */
export interface StatementJson {
  readonly openingBalance: string;
  readonly closingBalance: string;
  readonly ledgerBalance: string;
  readonly lines: readonly {
    readonly id: number;
    readonly at: string;
    readonly explanation: string;
    readonly debit: string | null;
    readonly credit: string | null;
    readonly balance: string;
  }[];
}

/** The statement of a wallet; `range` are further words. */
export const statementOf = (
  commands: Commands,
  partnerId: number,
  wallet: string,
  range = '',
): Promise<StatementJson> =>
  commands.json(`money statement --partner ${partnerId} --wallet ${wallet}${range}`);

/** The option by which "merchant payout-account confirm" is about the account that the list shows. */
export async function payoutFacts({ json }: Commands, merchantId: number): Promise<string> {
  const accounts: { readonly merchantId: number; readonly facts: string }[] = await json(
    'merchant payout-account list',
  );
  return `--facts ${accounts.find((one) => one.merchantId === merchantId)?.facts}`;
}
