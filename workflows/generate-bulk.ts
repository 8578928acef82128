import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-options.ts';
import type { GenerateBulkInput } from './contracts.ts';
import { showDetails } from './current-details.ts';
import { untilNotRefused } from './steps/failures.ts';

type Progress = Awaited<ReturnType<Activities['generateBulkLines']>>;

/** The result of an order, for the Temporal UI. */
type GenerateBulkResult = Omit<Progress, 'isEnded'>;

/**
 * Generates the vouchers of a bulk order step by step, until each line is generated, refused or
 * cancelled. No money is held in advance: each line pays at its turn. The database has the order, and
 * its cancellation; a cancellation in the UI only ends this run, and the next expiry run begins another.
 */
export async function generateBulk({
  bulkOrderId,
}: GenerateBulkInput): Promise<GenerateBulkResult> {
  for (;;) {
    const { isEnded, ...counts } = await untilNotRefused(() => bulk.generateBulkLines(bulkOrderId));
    showProgress(bulkOrderId, counts, isEnded);
    if (isEnded) return counts;
  }
}

function showProgress(id: number, counts: GenerateBulkResult, isEnded: boolean): void {
  const { lines, generated, refused, cancelled } = counts;
  const left = lines - generated - refused - cancelled;
  showDetails(
    isEnded
      ? `**Ended**: bulk order ${id}.`
      : `**Generating** bulk order ${id}: ${left} lines are left.`,
    `- Vouchers generated: ${generated} of ${lines}\n- Lines refused: ${refused}\n` +
      `- Lines cancelled: ${cancelled}`,
  );
}
