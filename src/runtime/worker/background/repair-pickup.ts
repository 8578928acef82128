import type { Client } from '@temporalio/client';
import type { RepairInput } from '../../../../workflows/contracts.ts';
import type { repair } from '../../../../workflows/repair.ts';
import { repairWorkflowId } from '../../../../workflows/workflow-ids.ts';
import type { Database } from '../../../db/connection.ts';
import { type RepairToStart, repairsToStart } from '../../../db/repairs/repair-lists.ts';
import { expireRepairs } from '../../../db/repairs/repairs.ts';
import { formatAmount, parseMoney } from '../../../domain/money.ts';
import type { NumberBox } from '../../../domain/phone.ts';
import { type RepairKindName, repairTitles } from '../../../repairs/repair-titles.ts';
import {
  namesOfCompany,
  type StartNames,
  startOf,
  startUnlessRunning,
} from '../../temporal/workflow-starts.ts';
import { type Background, type Repetition, repeat } from './repeat.ts';

const BATCH_SIZE = 100;
/** The client itself has no time limit. */
const START_LIMIT_MS = 5_000;

/**
 * Starts the workflows of repairs that staff and operators have asked for, and ends repairs that
 * were not confirmed in time. The commands of people need only the database, so the rows wait there
 * while Temporal is unavailable. Any number of workers may poll, since each repair has one workflow.
 * A Schedule would leave a run in Temporal every second.
 */
export function createRepairPickup(
  options: Background & {
    readonly database: Database;
    readonly client: Client;
    readonly taskQueue: string;
    readonly timing: RepairInput['timing'];
    readonly publicUrl: string;
    readonly numbers: Pick<NumberBox, 'hashOfStored'>;
  },
): Repetition {
  const { database, client, taskQueue, publicUrl } = options;
  const { inquiryIntervalMs, alarmAfterMs, maximumNudges } = options.timing;
  const timing = { inquiryIntervalMs, alarmAfterMs, maximumNudges };
  /** Those that could not be started, as for a workflow that hangs: they come after all others. */
  let refused = new Set<RepairToStart['id']>();

  const start = (found: RepairToStart): Promise<boolean> => {
    const { id, operationId } = found;
    const started = startOf<typeof repair>('repair', {
      operation: 'repair',
      workflowId: repairWorkflowId(id, operationId),
      args: [{ repairId: id, operationId, timing, publicUrl }],
      names: namesOf(found, options),
      summary: summaryOf(found),
    });
    return client.withDeadline(Date.now() + START_LIMIT_MS, () =>
      startUnlessRunning({ client, taskQueue }, started),
    );
  };

  async function work(): Promise<void> {
    await expireRepairs(database);
    const found = await repairsToStart(database, BATCH_SIZE);
    refused = new Set(found.map(({ id }) => id).filter((id) => refused.has(id)));
    const isRefused = ({ id }: RepairToStart) => Number(refused.has(id));
    for (const one of found.toSorted((left, right) => isRefused(left) - isRefused(right))) {
      // Counts as refused until it is done.
      refused.add(one.id);
      await start(one);
      refused.delete(one.id);
    }
  }

  return repeat({ ...options, work, failure: 'Could not pick up repairs' });
}

/** "Repair 7: Cancel the voucher, ETB 500.00, Abay Trading" */
const summaryOf = ({ id, kind, amount, companyName }: RepairToStart): string => {
  const value = parseMoney(amount);
  return [
    `Repair ${id}: ${repairTitles[kind as RepairKindName] ?? kind}`,
    ...(value === 0n ? [] : [`ETB ${formatAmount(value)}`]),
    ...(companyName === null ? [] : [companyName]),
  ].join(', ');
};

const namesOf = (
  { company, ...found }: RepairToStart,
  { numbers }: { readonly numbers: Pick<NumberBox, 'hashOfStored'> },
): StartNames => ({
  partnerId: found.partnerId ?? undefined,
  merchantId: found.merchantId ?? undefined,
  ...(company && namesOfCompany(company)),
  serialNumber: found.serialNumber ?? undefined,
  transactionId: found.topupId ?? undefined,
  numberHash: found.msisdn === null ? undefined : numbers.hashOfStored(found.msisdn),
});
