import { heartbeat } from '@temporalio/activity';
import { archiveDays, firstMonthKept } from '../src/db/ledger/archives.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './provider-call.ts';

/** The archive of old transfers. */
export function createLedgerArchiveActivities({
  database,
  failpoint,
  settings,
}: ActivityDependencies) {
  const { archiveFolder: folder, archiveAfterMonths } = settings.schedules;

  /** Moves the transfers of old months to files; returns their number. Without a folder it moves none. */
  const archiveTransfers = (): Promise<number> =>
    withHeartbeat(async () => {
      if (folder === undefined) return 0;
      const before = firstMonthKept(new Date(), archiveAfterMonths);
      return archiveDays(database, { folder, before, failpoint, note: heartbeat });
    });

  return { archiveTransfers };
}
