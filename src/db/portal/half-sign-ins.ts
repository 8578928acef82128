import { sql } from 'kysely';
import type { Employer } from '../../domain/voucher.ts';
import { anyDigest } from '../any-digest.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { type CheckedAccount, companyOf, keepCheckedPassword } from './portal-accounts.ts';

/** An account whose password was checked, and whose code is still to come. */
export interface HalfSignIn {
  readonly accountId: number;
  readonly email: string;
  readonly company: Employer;
}

/**
 * Stores that the password of an account was right, for a token that gives no access. False if the
 * checked password was changed or has expired, or the account is disabled.
 */
export async function addHalfSignIn(
  transaction: DatabaseTransaction,
  account: CheckedAccount,
  tokenDigest: Buffer,
): Promise<boolean> {
  if (!(await keepCheckedPassword(transaction, account))) return false;
  await transaction
    .insertInto('portal_half_sign_ins')
    .values({ account_id: account.id, token_digest: tokenDigest })
    .execute();
  return true;
}

/** The half sign-in of a token; undefined where there is none, or it took too long. */
export async function findHalfSignIn(
  database: Database,
  tokenDigests: readonly Buffer[],
  lifetimeSeconds: number,
): Promise<HalfSignIn | undefined> {
  const row = await database
    .selectFrom('portal_half_sign_ins as half')
    .innerJoin('portal_accounts as account', 'account.id', 'half.account_id')
    .select([
      'account.id',
      'account.email',
      'account.partner_id as partnerId',
      'account.merchant_id as merchantId',
    ])
    .where('half.token_digest', '=', anyDigest(tokenDigests))
    .where('half.created_at', '>', sql<Date>`now() - make_interval(secs => ${lifetimeSeconds})`)
    .where('account.disabled_at', 'is', null)
    .executeTakeFirst();
  return row && { accountId: row.id, email: row.email, company: companyOf(row) };
}

/**
 * Ends a half sign-in by a whole one. False where it is gone, because the password was changed, the
 * account disabled, or another request was faster.
 */
export async function takeHalfSignIn(
  transaction: DatabaseTransaction,
  accountId: number,
  tokenDigests: readonly Buffer[],
): Promise<boolean> {
  // Locked first, as by changes of the account, which then delete the half sign-ins.
  const account = await transaction
    .selectFrom('portal_accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  const half = await transaction
    .deleteFrom('portal_half_sign_ins')
    .where('token_digest', '=', anyDigest(tokenDigests))
    .where('account_id', '=', accountId)
    .returning('account_id')
    .executeTakeFirst();
  if (account === undefined || half === undefined) return false;
  await transaction
    .updateTable('portal_accounts')
    .set({ last_signed_in_at: sql<Date>`now()` })
    .where('id', '=', accountId)
    .execute();
  return true;
}
