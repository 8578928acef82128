import { sql } from 'kysely';
import type { Database } from './connection.js';

/** Who is counted, and how often it may try within the window. */
export interface SignInLimit {
  readonly subjectDigest: Buffer;
  readonly attempts: number;
}

/**
 * Counts one sign-in for each subject, before the password is looked at, so that many at the same
 * moment gain nothing. Returns how many seconds to wait where a limit is passed; undefined where
 * the sign-in may go on. A window does not grow by what is tried in it.
 */
export async function countSignIn(
  database: Database,
  limits: readonly SignInLimit[],
  windowSeconds: number,
): Promise<number | undefined> {
  // In one order everywhere, so that two never wait for each other.
  const sorted = limits.toSorted((a, b) => Buffer.compare(a.subjectDigest, b.subjectDigest));
  const subjects = sorted.map(({ subjectDigest }) => sql`(${subjectDigest}::bytea)`);
  const isOver = sql`known.window_began_at <= now() - make_interval(secs => ${windowSeconds})`;
  const { rows } = await sql<{ subject: Buffer; attempts: number; secondsLeft: number }>`
    insert into portal_sign_in_attempts as known (subject_digest)
    values ${sql.join(subjects)}
    on conflict (subject_digest) do update set
      attempts = case when ${isOver} then 1 else least(known.attempts, 1000000) + 1 end,
      window_began_at = case when ${isOver} then now() else known.window_began_at end
    returning subject_digest as subject, attempts,
      ceil(extract(epoch from window_began_at - now()) + ${windowSeconds})::int as "secondsLeft"
  `.execute(database);
  const waits = rows
    .filter(({ subject, attempts }) =>
      limits.some((limit) => limit.subjectDigest.equals(subject) && attempts > limit.attempts),
    )
    .map(({ secondsLeft }) => Math.max(1, secondsLeft));
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/**
 * A sign-in that succeeded counts for nobody: the account begins anew, and the address has one less,
 * but keeps what it tried on other accounts. Windows that are over are removed.
 */
export async function forgiveSignIn(
  database: Database,
  subjects: { readonly account: Buffer; readonly address: Buffer },
  windowSeconds: number,
): Promise<void> {
  await database
    .updateTable('portal_sign_in_attempts')
    .set({ attempts: 0 })
    .where('subject_digest', '=', subjects.account)
    .execute();
  await database
    .updateTable('portal_sign_in_attempts')
    .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
    .where('subject_digest', '=', subjects.address)
    .execute();
  await sql`
    delete from portal_sign_in_attempts where subject_digest in (
      select subject_digest from portal_sign_in_attempts
      where window_began_at < now() - make_interval(secs => ${windowSeconds})
      order by window_began_at limit 1000 for update skip locked)`.execute(database);
}
