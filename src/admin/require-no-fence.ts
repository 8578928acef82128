import { readFence, whyFenced } from '../db/recovery.ts';
import type { AdminContext } from './command.ts';
import { AdminError } from './fields.ts';

const refusals: Readonly<Record<NonNullable<ReturnType<typeof whyFenced>>, string>> = {
  fence:
    'The fence of a restore stands: the database lacks what the providers did. First "recovery book" ' +
    'and "recovery lift".',
  standby: 'DATABASE_URL leads to a standby: give the address of the primary.',
  'new timeline':
    'PostgreSQL was promoted or restored: the database may lack what the providers did. First "recovery ' +
    'fence", "recovery book" and "recovery lift". Or set SYNCHRONOUS_REPLICATION=yes as the processes have it.',
};

/**
 * For a command that books what providers say.
 *
 * @throws {AdminError} where processes would change and send nothing
 */
export async function requireNoFence({
  database,
  settings,
}: Pick<AdminContext, 'database' | 'settings'>): Promise<void> {
  const isSynchronous = settings.database.synchronousReplication === 'yes';
  const why = whyFenced(await readFence(database), isSynchronous);
  if (why) throw new AdminError(refusals[why]);
}
