import { sql } from 'kysely';
import {
  type CompanyAuthority,
  commandRights,
  mayCommand,
  type RightfulCommand,
  rolesFor,
  type Scope,
} from '../../domain/access.ts';
import {
  type Caller,
  type Company,
  type CompanyKind,
  isOfRepair,
} from '../../domain/vouchers/voucher.ts';
import { companyColumn, companyTable } from '../catalogue/companies.ts';
import { allRows, allValues, type Database, firstRow, onlyRow } from '../connection.ts';
import { isRunningRepair } from '../repairs/repair-lists.ts';

/** The facts of a company that admission checks: status, addresses and keys. */
export interface AccessRow {
  readonly status: 'ACTIVE' | 'SUSPENDED' | 'DEACTIVATED';
  readonly token_version: number;
  /** By the id of each valid key. */
  readonly api_keys: Readonly<Record<string, KeyPower>>;
  readonly addresses: string[];
  readonly public_keys: string[];
}

/** The scopes of an API key, and whether its spending counts against daily limits. */
interface KeyPower {
  readonly scopes: readonly Scope[];
  readonly isLimited: boolean;
}

/** Condition on api_keys: neither revoked nor expired, by the database's clock. */
export const isValidKey = sql<boolean>`(
  revoked_at is null and (expires_at is null or expires_at > now()))`;

/** SQL: the table of a kind of company, and the column that refers to it. */
const tablesOf = (company: Pick<Company, 'kind'>) => ({
  table: sql.table(companyTable(company)),
  owner: sql.ref(companyColumn(company)),
});

/** Reads a company's access in one round trip; undefined where the company does not exist. */
export function readAccess(database: Database, company: Company) {
  const { table, owner } = tablesOf(company);
  // Only partners spend.
  const isLimited =
    company.kind === 'partner'
      ? sql`num_nonnulls(company.daily_amount, company.daily_operations,
          api_keys.daily_amount, api_keys.daily_operations) > 0`
      : sql`false`;
  const publicKeys =
    company.kind === 'partner'
      ? sql`'{}'::text[]`
      : sql`array(select public_key_pem from merchant_public_keys
          where merchant_id = company.id and revoked_at is null order by id)`;
  return firstRow<AccessRow>(database)`
    select status, token_version,
      (select coalesce(jsonb_object_agg(api_keys.id,
          jsonb_build_object('scopes', scopes, 'isLimited', ${isLimited})), '{}') from api_keys
        where ${owner} = company.id and ${isValidKey}) as api_keys,
      array(select address from source_addresses where ${owner} = company.id) as addresses,
      ${publicKeys} as public_keys
    from ${table} as company where id = ${company.id}`;
}

/**
 * SQL expression: whether the authority of a command is still valid and has its scope. So neither a
 * stale cache nor forged data can move money. The kind of the company is part of
 * the authority. A command without authority may begin nothing. A person of the portal needs a role
 * that operates. The activity checks an operator's authority itself.
 */
export const isStillAdmitted = ({ kind, id, credential }: Caller, command: RightfulCommand) => {
  if (credential === undefined || !mayCommand(kind, command)) return sql<boolean>`false`;
  const { table, owner } = tablesOf({ kind });
  if ('portalAccountId' in credential)
    return sql<boolean>`exists (
      select from portal_accounts as account
      where account.id = ${credential.portalAccountId} and account.${owner} = ${id}
        and disabled_at is null and role = any(${rolesFor('operate')}::text[]))`;
  if ('repairId' in credential) return isRunningRepair(credential.repairId, { kind, id });
  if (!('apiKeyId' in credential)) return sql<boolean>`false`;
  return sql<boolean>`exists (
    select from api_keys join ${table} as company on company.id = api_keys.${owner}
    where api_keys.id = ${credential.apiKeyId} and ${isValidKey}
      and ${commandRights[command].scope} = any(api_keys.scopes)
      and company.id = ${id} and company.token_version = ${credential.tokenVersion})`;
};

/**
 * The commands that give value back. Staff give them in a repair, whatever the company may do: a partner whose key
 * was stolen stays suspended.
 */
const givesBack: readonly RightfulCommand[] = ['cancel-voucher', 'reverse-redemption'];

/** What a company may still do, for a step that moves money. */
export function companyAuthority(database: Database, caller: Caller, command: RightfulCommand) {
  const isThere = caller.kind === 'partner' ? sql`true` : sql`deleted_at is null`;
  const isByStaff = isOfRepair(caller) && givesBack.includes(command);
  return onlyRow<CompanyAuthority>(database, 'No authority was read')`
    select ${isStillAdmitted(caller, command)} as "isAdmitted", ${isByStaff} or exists (
      select from ${tablesOf(caller).table}
      where id = ${caller.id} and status = 'ACTIVE' and ${isThere}) as "companyIsActive"`;
}

/** The registered host names: entries with a letter that are no IPv6 address. */
export const listSourceNames = (database: Database, limit: number) =>
  allValues<string>(database)`
    select distinct address from source_addresses
    where address ~ '[a-z]' and address not like '%:%' limit ${limit}`;

/** An API key with its company, and the facts that a log-in checks. */
export interface FoundApiKey extends Pick<AccessRow, 'status' | 'token_version'> {
  readonly id: number;
  readonly digest: Buffer;
  readonly company: Company;
  /** False after its revocation or expiry, by the database's clock. */
  readonly isValid: boolean;
}

/** Finds API keys of a kind of company by digest; unknown digests have no result. */
export async function findApiKeys(
  database: Database,
  kind: CompanyKind,
  digests: readonly Buffer[],
): Promise<FoundApiKey[]> {
  const { table, owner } = tablesOf({ kind });
  const rows = await allRows<Omit<FoundApiKey, 'company'> & { readonly company_id: number }>(
    database,
  )`
    select api_keys.id, key_digest as digest, ${isValidKey} as "isValid",
      company.id as company_id, company.status, company.token_version
    from api_keys join ${table} as company on company.id = api_keys.${owner}
    where key_digest = any(${digests}::bytea[])`;
  return rows.map(({ company_id, ...key }) => ({ ...key, company: { kind, id: company_id } }));
}

/** Finds one API key; undefined for an unknown key. */
export const findApiKey = async (
  database: Database,
  kind: CompanyKind,
  digest: Buffer,
): Promise<FoundApiKey | undefined> => (await findApiKeys(database, kind, [digest]))[0];

/**
 * Binds the bytes of a signed request to what it is sent to, and its message to those bytes. Returns
 * whether both bindings are new or unchanged.
 */
export async function bindSignedRequest(
  database: Database,
  request: {
    readonly merchantId: number;
    /** The path of the endpoint with its parameters. */
    readonly target: string;
    readonly bodyDigest: string;
    /** Undefined when the message is a time, which need not be unique. */
    readonly messageDigest: string | undefined;
  },
): Promise<boolean> {
  const bindings = [{ subject: `body:${request.bodyDigest}`, bound_to: request.target }];
  if (request.messageDigest !== undefined)
    bindings.push({ subject: `message:${request.messageDigest}`, bound_to: request.bodyDigest });
  const rows = await database
    .insertInto('signed_requests')
    .values(bindings.map((binding) => ({ merchant_id: request.merchantId, ...binding })))
    .onConflict((conflict) =>
      conflict
        .columns(['merchant_id', 'subject'])
        // A no-op update, because only an updated row is returned.
        .doUpdateSet({ bound_to: (row) => row.ref('signed_requests.bound_to') }),
    )
    .returning(['subject', 'bound_to'])
    .execute();
  return bindings.every((binding) =>
    rows.some(
      ({ subject, bound_to }) => subject === binding.subject && bound_to === binding.bound_to,
    ),
  );
}
