import { sql } from 'kysely';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { companyColumn, companyColumns } from '../catalogue/companies.ts';
import {
  changedRows,
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstValue,
  now,
  type Sql,
} from '../connection.ts';
import { anyDigest } from '../digest-keys.ts';
import { forgetSignIns } from '../limits/attempts.ts';
import { hasSecondFactor, lockAccount } from './accounts.ts';
import { endPortalSessions } from './sign-ins.ts';

/** The one-time passwords of an account. */
export type AccountOneTimePassword = NonNullable<Awaited<ReturnType<typeof readOneTimePassword>>>;

/** A passkey of an account, as its pages show it. */
export type AccountPasskey = SecondFactors['passkeys'][number];

/** The second factors of an account; recovery codes exist as long as another factor does. */
export type SecondFactors = Awaited<ReturnType<typeof readSecondFactors>>;

export const readSecondFactors = async (database: Database, accountId: number) => ({
  oneTimePassword: await readOneTimePassword(database, accountId),
  passkeys: await database
    .selectFrom('portal_passkeys')
    // The credential id in base64url, as browsers name it.
    .select(['id', 'name', 'credential_id as credentialId'])
    .select(['created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute(),
  recoveryCodesLeft: await countRecoveryCodes(database, accountId),
});

/** Undefined where one-time passwords are off. */
export const readOneTimePassword = (database: Database, accountId: number) =>
  database
    .selectFrom('portal_one_time_passwords')
    .select(['secret_ciphertext as secretCiphertext', 'created_at as since'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();

/** The recovery codes of an account that are not used yet. */
const countRecoveryCodes = (database: Database, accountId: number): Promise<number> =>
  firstValue(database, 0)`
    select count(*) from portal_recovery_codes where account_id = ${accountId} and used_at is null`;

/** Switches one-time passwords on for an account; false where they are on already. */
export async function addOneTimePassword(
  transaction: DatabaseTransaction,
  password: {
    readonly accountId: number;
    readonly secretCiphertext: string;
    /** The step of the password that proved the set-up. */
    readonly step: number;
  },
): Promise<boolean> {
  const { accountId, secretCiphertext, step } = password;
  await lockAccount(transaction, accountId);
  return transaction
    .insertInto('portal_one_time_passwords')
    .values({ account_id: accountId, secret_ciphertext: secretCiphertext, last_step: step })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .$call(changesRow);
}

/** A passkey that a device has just made. */
export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
}

/** Adds a passkey to an account; false where some account has it already. */
export async function addPasskey(
  transaction: DatabaseTransaction,
  accountId: number,
  { name, ...made }: NewPasskey & { readonly name: string },
): Promise<boolean> {
  await lockAccount(transaction, accountId);
  return transaction
    .insertInto('portal_passkeys')
    .values({
      account_id: accountId,
      name,
      credential_id: made.credentialId,
      public_key: made.publicKey,
      counter: made.counter,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .$call(changesRow);
}

/**
 * Uses the password of a time step up. False where it, or a later one, was used before: of two
 * requests at the same moment one wins.
 */
export const takeStep = (
  database: Database,
  accountId: number,
  { secretCiphertext, step }: { readonly secretCiphertext: string; readonly step: number },
) =>
  database
    .updateTable('portal_one_time_passwords')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('secret_ciphertext', '=', secretCiphertext)
    .where('last_step', '<', step)
    .$call(changesRow);

/** Stores a challenge that a page shows to the devices of an account. */
export async function addChallenge(
  database: Database,
  accountId: number,
  challenge: string,
): Promise<void> {
  await database
    .insertInto('portal_passkey_challenges')
    .values({ account_id: accountId, challenge })
    .execute();
}

/**
 * Uses a challenge of an account up. False where it is too old, or was used before: of two requests
 * at the same moment one wins.
 */
export const takeChallenge = (
  database: Database,
  accountId: number,
  { challenge, lifetimeSeconds }: { readonly challenge: string; readonly lifetimeSeconds: number },
) =>
  database
    .deleteFrom('portal_passkey_challenges')
    .where('challenge', '=', challenge)
    .where('account_id', '=', accountId)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${lifetimeSeconds})`)
    .$call(changesRow);

/** The public key of a passkey of an account, and its count; undefined for passkeys of other accounts. */
export const findPasskey = (database: Database, accountId: number, credentialId: string) =>
  database
    .selectFrom('portal_passkeys')
    .select(['public_key as publicKey', 'counter'])
    .where('account_id', '=', accountId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();

/**
 * Stores the count of a signature. False where the passkey is removed, or the count is not above the last
 * one: the signature was used before, or a copy of the device has signed. Many devices count nothing.
 */
export const takeCounter = (
  database: Database,
  accountId: number,
  { credentialId, counter }: Pick<NewPasskey, 'credentialId' | 'counter'>,
) =>
  database
    .updateTable('portal_passkeys')
    .set({ counter, last_used_at: now })
    .where('account_id', '=', accountId)
    .where('credential_id', '=', credentialId)
    .where(sql<boolean>`(counter < ${counter} or (counter = 0 and ${counter} = 0))`)
    .$call(changesRow);

/** Uses a recovery code up; false where it is none of the account's, or was used before. */
export const takeRecoveryCode = (
  database: Database,
  accountId: number,
  digestsOfCode: readonly Buffer[],
) =>
  database
    .updateTable('portal_recovery_codes')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('code_digest', '=', anyDigest(digestsOfCode))
    .where('used_at', 'is', null)
    .$call(changesRow);

/** Replaces the recovery codes of an account; the old ones work no longer. */
export async function replaceRecoveryCodes(
  transaction: DatabaseTransaction,
  accountId: number,
  codeDigests: readonly Buffer[],
): Promise<void> {
  await removeRecoveryCodes(transaction, accountId);
  await transaction
    .insertInto('portal_recovery_codes')
    .values(codeDigests.map((code_digest) => ({ account_id: accountId, code_digest })))
    .execute();
}

const removeRecoveryCodes = (transaction: DatabaseTransaction, accountId: number) =>
  transaction.deleteFrom('portal_recovery_codes').where('account_id', '=', accountId).execute();

/** Whether an account has a one-time password or a passkey. */
export const hasFactor = (database: Database, accountId: number): Promise<boolean> =>
  firstValue(database, false)`
    select ${hasSecondFactor('portal_accounts.id')} from portal_accounts where id = ${accountId}`;

/** Removes second factors of an account, each as SQL from its table on. False where the account has none of them. */
async function removeFactors(
  transaction: DatabaseTransaction,
  accountId: number,
  factors: readonly Sql[],
): Promise<boolean> {
  await lockAccount(transaction, accountId);
  let removed = 0;
  for (const factor of factors)
    removed += await changedRows(transaction)`delete from ${factor} and account_id = ${accountId}`;
  // Recovery codes end with the last factor that they replace.
  if (!(await hasFactor(transaction, accountId))) await removeRecoveryCodes(transaction, accountId);
  return removed > 0;
}

const oneTimePasswords = sql`portal_one_time_passwords where true`;

/** Switches one-time passwords off for an account; false where they are off. */
export const removeOneTimePassword = (transaction: DatabaseTransaction, accountId: number) =>
  removeFactors(transaction, accountId, [oneTimePasswords]);

/** Removes a passkey of an account; false where the account does not have it. */
export const removePasskey = (
  transaction: DatabaseTransaction,
  accountId: number,
  passkeyId: number,
) => removeFactors(transaction, accountId, [sql`portal_passkeys where id = ${passkeyId}`]);

/** Removes all second factors of an account; false where it has none. */
export const removeSecondFactors = (transaction: DatabaseTransaction, accountId: number) =>
  removeFactors(transaction, accountId, [oneTimePasswords, sql`portal_passkeys where true`]);

/**
 * Lets a person who has lost the devices and the recovery codes sign in by the password alone. The sessions end, and
 * wrong passwords and codes are forgotten. False where the account has no second factor.
 */
export async function resetSecondFactor(
  transaction: DatabaseTransaction,
  accountId: number,
): Promise<boolean> {
  if (!(await removeSecondFactors(transaction, accountId))) return false;
  await endPortalSessions(transaction, accountId);
  await forgetSignIns(transaction, accountId);
  return true;
}

/** Whether all people of a company need a second factor; returns whether that changed. */
export const setSecondFactorRule = (
  transaction: DatabaseTransaction,
  company: Company,
  isRequired: boolean,
) =>
  changesRow(
    isRequired
      ? transaction
          .insertInto('portal_second_factor_rules')
          .values(companyColumns(company))
          .onConflict((conflict) => conflict.doNothing())
      : transaction
          .deleteFrom('portal_second_factor_rules')
          .where(companyColumn(company), '=', company.id),
  );
