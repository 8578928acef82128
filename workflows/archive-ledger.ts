import { ledgerArchive } from './activity-options.ts';
import { showDetails } from './current-details.ts';

/** The effect of a run, for the Temporal UI. */
interface ArchiveLedgerResult {
  readonly transfers: number;
}

/** Moves old transfers to files. A Schedule starts it every night; most runs find nothing to do. */
export async function archiveLedger(): Promise<ArchiveLedgerResult> {
  const transfers = await ledgerArchive.archiveTransfers();
  showDetails(`**Done**: ${transfers} transfers moved to files.`);
  return { transfers };
}
