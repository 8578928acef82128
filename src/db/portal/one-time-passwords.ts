import { sql } from 'kysely';
import type { Company } from '../../domain/voucher.ts';
import { anyDigest } from '../any-digest.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** The one-time passwords of an account. */
export interface AccountOneTimePassword {
  readonly secretCiphertext: string;
  readonly since: Date;
  readonly recoveryCodesLeft: number;
}

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
  const row = await transaction
    .insertInto('portal_one_time_passwords')
    .values({ account_id: accountId, secret_ciphertext: secretCiphertext, last_step: step })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .returning('account_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Undefined where one-time passwords are off. */
export async function readOneTimePassword(
  database: Database,
  accountId: number,
): Promise<AccountOneTimePassword | undefined> {
  return await database
    .selectFrom('portal_one_time_passwords')
    .select(['secret_ciphertext as secretCiphertext', 'created_at as since'])
    .select(
      sql<number>`(select count(*) from portal_recovery_codes as code
        where code.account_id = portal_one_time_passwords.account_id and used_at is null)::int`.as(
        'recoveryCodesLeft',
      ),
    )
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/**
 * Uses the password of a time step up. False where it, or a later one, was used before: of two
 * requests at the same moment one wins.
 */
export async function takeStep(
  database: Database,
  accountId: number,
  { secretCiphertext, step }: { readonly secretCiphertext: string; readonly step: number },
): Promise<boolean> {
  const row = await database
    .updateTable('portal_one_time_passwords')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('secret_ciphertext', '=', secretCiphertext)
    .where('last_step', '<', step)
    .returning('account_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses a recovery code up; false where it is none of the account's, or was used before. */
export async function takeRecoveryCode(
  database: Database,
  accountId: number,
  digestsOfCode: readonly Buffer[],
): Promise<boolean> {
  const row = await database
    .updateTable('portal_recovery_codes')
    .set({ used_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('code_digest', '=', anyDigest(digestsOfCode))
    .where('used_at', 'is', null)
    .returning('account_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Replaces the recovery codes of an account; the old ones work no longer. */
export async function replaceRecoveryCodes(
  transaction: DatabaseTransaction,
  accountId: number,
  codeDigests: readonly Buffer[],
): Promise<void> {
  await transaction
    .deleteFrom('portal_recovery_codes')
    .where('account_id', '=', accountId)
    .execute();
  await transaction
    .insertInto('portal_recovery_codes')
    .values(codeDigests.map((code_digest) => ({ account_id: accountId, code_digest })))
    .execute();
}

/** Switches one-time passwords off for an account; false where they are off. */
export async function removeOneTimePassword(
  transaction: DatabaseTransaction,
  accountId: number,
): Promise<boolean> {
  const removed = await transaction
    .deleteFrom('portal_one_time_passwords')
    .where('account_id', '=', accountId)
    .returning('account_id')
    .executeTakeFirst();
  await transaction
    .deleteFrom('portal_recovery_codes')
    .where('account_id', '=', accountId)
    .execute();
  return removed !== undefined;
}

/** Whether all people of a company need a one-time password; returns whether that changed. */
export async function setOneTimePasswordRule(
  transaction: DatabaseTransaction,
  { kind, id }: Company,
  isRequired: boolean,
): Promise<boolean> {
  const column = kind === 'partner' ? 'partner_id' : 'merchant_id';
  const rows = isRequired
    ? await transaction
        .insertInto('portal_one_time_password_rules')
        .values({
          partner_id: kind === 'partner' ? id : null,
          merchant_id: kind === 'merchant' ? id : null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('created_at')
        .execute()
    : await transaction
        .deleteFrom('portal_one_time_password_rules')
        .where(column, '=', id)
        .returning('created_at')
        .execute();
  return rows.length > 0;
}
