import { sql } from 'kysely';
import type { Database } from '../connection.js';

/** Who is counted, and how often it may try within the window. */
export interface SignInLimit {
  readonly subjectDigest: Buffer;
  readonly attempts: number;
  /** It begins anew with a right password; others, who share it, are given back one try. */
  readonly isOwn?: true;
}

/**
 * Counts one try of each subject, before the password is looked at, so that many at the same moment
 * gain nothing. Subjects are counted in their order, up to one that is over its limit: those after
 * it are not even written. Returns how many seconds to wait then, and undefined where the password
 * may be looked at. A window does not grow by what is tried in it. Not by rate-limiter-flexible: its
 * windows go by the clock of each process, and what it gives back too late counts below zero.
 */
export async function countSignIn(
  database: Database,
  limits: readonly SignInLimit[],
  windowSeconds: number,
): Promise<number | undefined> {
  for (const limit of limits) {
    const waitSeconds = await countSubject(database, limit, windowSeconds);
    if (waitSeconds !== undefined) return waitSeconds;
  }
  return undefined;
}

async function countSubject(
  database: Database,
  { subjectDigest, attempts }: SignInLimit,
  windowSeconds: number,
): Promise<number | undefined> {
  const isOver = sql`known.window_began_at <= now() - make_interval(secs => ${windowSeconds})`;
  const { rows } = await sql<{ attempts: number; secondsLeft: number }>`
    insert into portal_sign_in_attempts as known (subject_digest) values (${subjectDigest})
    on conflict (subject_digest) do update set
      attempts = case when ${isOver} then 1 else least(known.attempts, 1000000) + 1 end,
      window_began_at = case when ${isOver} then now() else known.window_began_at end
    returning attempts,
      ceil(extract(epoch from window_began_at - now()) + ${windowSeconds})::int as "secondsLeft"
  `.execute(database);
  const [row] = rows;
  return row && row.attempts > attempts ? Math.max(1, row.secondsLeft) : undefined;
}

/** Takes back one try of each subject. */
async function giveBackSignIn(database: Database, limits: readonly SignInLimit[]): Promise<void> {
  // One at a time, so that two never wait for each other.
  for (const { subjectDigest } of limits)
    await database
      .updateTable('portal_sign_in_attempts')
      .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
      .where('subject_digest', '=', subjectDigest)
      .execute();
}

/** A sign-in that succeeded counts for nobody, and those before it no longer for its own subjects. */
export async function forgiveSignIn(
  database: Database,
  limits: readonly SignInLimit[],
): Promise<void> {
  await giveBackSignIn(
    database,
    limits.filter(({ isOwn }) => !isOwn),
  );
  for (const { subjectDigest, isOwn } of limits)
    if (isOwn)
      await database
        .updateTable('portal_sign_in_attempts')
        .set({ attempts: 0 })
        .where('subject_digest', '=', subjectDigest)
        .execute();
}
