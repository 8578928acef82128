import { sql } from 'kysely';
import type { Company } from '../../domain/vouchers/voucher.ts';
import {
  allRows,
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstRow,
  updateRow,
} from '../connection.ts';
import type { OperationIdentity } from '../operations.ts';
import { type Counted, countCompanyWrongCode, countWithin } from './daily-limits.ts';

/** Window in which attempts to sign in are counted. */
export const SIGN_IN_WINDOW_SECONDS = 900;

/** A counted subject, and its attempts within the window. */
export interface SignInLimit {
  readonly subjectDigest: Buffer;
  readonly attempts: number;
  /** The account that it is about, by its e-mail address in the stored form; there may be none. */
  readonly email?: string;
  /** A correct password resets this subject's count; shared subjects only lose one attempt. */
  readonly isOwn?: true;
}

/**
 * Counts one attempt per subject before the password check, so that concurrent attempts gain
 * nothing. Subjects are counted in order, up to one beyond its limit; later ones are not written.
 * Returns the seconds to wait in that case, and undefined where the password may be checked.
 * Attempts do not extend a window.
 */
export async function countSignIn(
  database: Database,
  limits: readonly SignInLimit[],
): Promise<number | undefined> {
  for (const limit of limits) {
    const waitSeconds = await countSubject(database, limit);
    if (waitSeconds !== undefined) return waitSeconds;
  }
  return undefined;
}

async function countSubject(
  database: Database,
  { subjectDigest, attempts, email }: SignInLimit,
): Promise<number | undefined> {
  const isOver = sql`known.window_began_at <= now() - make_interval(secs => ${SIGN_IN_WINDOW_SECONDS})`;
  const row = await firstRow<{ attempts: number; secondsLeft: number }>(database)`
    insert into portal_sign_in_attempts as known (subject_digest, account_id)
    values (${subjectDigest}, (select id from portal_accounts where email = ${email ?? null}))
    on conflict (subject_digest) do update set account_id = excluded.account_id,
      attempts = case when ${isOver} then 1 else least(known.attempts, 1000000) + 1 end,
      window_began_at = case when ${isOver} then now() else known.window_began_at end
    returning attempts,
      ceil(extract(epoch from window_began_at - now()) + ${SIGN_IN_WINDOW_SECONDS})::int as "secondsLeft"
  `;
  return row && row.attempts > attempts ? Math.max(1, row.secondsLeft) : undefined;
}

/** A successful sign-in does not count, and resets the count of its own subjects. */
export async function forgiveSignIn(
  database: Database,
  limits: readonly SignInLimit[],
): Promise<void> {
  // One at a time, which avoids deadlocks.
  for (const { subjectDigest, isOwn } of limits)
    await database
      .updateTable('portal_sign_in_attempts')
      .set({ attempts: isOwn ? 0 : sql<number>`greatest(attempts - 1, 0)` })
      .where('subject_digest', '=', subjectDigest)
      .execute();
}

/**
 * Forgets what was counted for an account, in whatever browser: its sign-in was reset. False where nothing was counted.
 */
export const forgetSignIns = (transaction: DatabaseTransaction, accountId: number) =>
  transaction
    .updateTable('portal_sign_in_attempts')
    .set({ attempts: 0 })
    .where('account_id', '=', accountId)
    .where('attempts', '>', 0)
    .$call(changesRow);

/** The wrong attempts to sign in to an account that still count. */
export interface WrongSignIns {
  readonly accountId: number;
  /** From the browser or the address with the most of them. */
  readonly attempts: number;
  /** When the last address may try again; null where none has to wait. */
  readonly lockedUntil: Date | null;
}

/** The wrong attempts of accounts, counted as for the next sign-in. */
export function wrongSignIns(
  database: Database,
  accountIds: readonly number[],
  limits: {
    readonly attempts: number;
    /** The subjects of an account from all browsers and addresses, and their limit. */
    readonly anywhere: { readonly subjects: readonly Buffer[]; readonly attempts: number };
  },
) {
  const end = sql`window_began_at + make_interval(secs => ${SIGN_IN_WINDOW_SECONDS})`;
  return allRows<WrongSignIns>(database)`
    select account_id as "accountId", max(attempts) as attempts,
      max(${end}) filter (where attempts >= case
        when subject_digest = any(${limits.anywhere.subjects}::bytea[])
        then ${limits.anywhere.attempts}::int else ${limits.attempts}::int end) as "lockedUntil"
    from portal_sign_in_attempts
    where account_id = any(${accountIds}::bigint[]) and attempts > 0 and ${end} > now()
    group by account_id`;
}

/**
 * SQL expression: a company's wrong codes for a voucher within a day, and the time of its next
 * attempt. Wrong codes of other companies do not count.
 */
export const wrongCodes = (voucherId: number, { kind, id }: Company) => sql`(
  select ${countWithin(sql`interval '1 day'`, sql`true`)} from verification_attempts
  where voucher_id = ${voucherId} and created_at > now() - interval '1 day'
    and company_kind = ${kind} and company_id = ${id})`;

/** A request whose code was compared and is wrong. */
interface WrongCode extends Pick<OperationIdentity, 'operationId' | 'requestDigest'> {
  readonly voucherId: number;
  /** The claim of the compared code. */
  readonly claimId: string;
  readonly company: Company;
}

/**
 * Counts a request's wrong code once, even if it is compared repeatedly: for the company and the
 * voucher, for the voucher's life, and for the company's day. The same transaction settles the
 * operation, so a repeated request gets the stored answer without a comparison.
 */
export async function countWrongCode(
  transaction: DatabaseTransaction,
  { voucherId, claimId, company, operationId, requestDigest }: WrongCode,
  companyBudget: number,
): Promise<Pick<Counted, 'isLast'>> {
  const counted = await transaction
    .insertInto('verification_attempts')
    .values({
      voucher_id: voucherId,
      operation_id: operationId,
      request_digest: requestDigest,
      claim_id: claimId,
      company_kind: company.kind,
      company_id: company.id,
    })
    .onConflict((conflict) =>
      conflict.columns(['operation_id', 'request_digest', 'claim_id']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  if (!counted) return { isLast: false };
  await updateRow(transaction, 'vouchers', voucherId, {
    wrong_codes: sql<number>`wrong_codes + 1`,
  });
  return countCompanyWrongCode(transaction, company, companyBudget);
}

/** A correct code resets only the count of its own company. */
export async function clearWrongCodes(
  transaction: DatabaseTransaction,
  voucherId: number,
  { kind, id }: Company,
): Promise<void> {
  await transaction
    .deleteFrom('verification_attempts')
    .where('voucher_id', '=', voucherId)
    .where('company_kind', '=', kind)
    .where('company_id', '=', id)
    .execute();
}
