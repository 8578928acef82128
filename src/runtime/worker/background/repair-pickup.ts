import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { RepairInput } from '../../../../workflows/contracts.ts';
import type { repair } from '../../../../workflows/repair.ts';
import { repairWorkflowId } from '../../../../workflows/workflow-ids.ts';
import type { Database } from '../../../db/connection.ts';
import { type RepairToStart, repairsToStart } from '../../../db/repairs/repair-lists.ts';
import { expireRepairs } from '../../../db/repairs/repairs.ts';
import { formatAmount, parseMoney } from '../../../domain/money.ts';
import type { NumberBox } from '../../../domain/phone.ts';
import { type RepairKindName, repairTitles } from '../../../repairs/repair-titles.ts';
import { namesOfCompany, type StartNames, startOf } from '../../temporal/workflow-starts.ts';
import { pickUp, startOnce } from './pick-up.ts';
import type { Repetition } from './repeat.ts';

/**
 * Starts the workflows of repairs that staff and operators have asked for, and ends repairs that
 * were not confirmed in time.
 */
export function createRepairPickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly timing: RepairInput['timing'];
  readonly publicUrl: string;
  readonly numbers: Pick<NumberBox, 'hashOfStored'>;
  readonly intervalMs: number;
}): Repetition {
  const { database, publicUrl } = options;
  const { inquiryIntervalMs, alarmAfterMs, maximumNudges } = options.timing;
  const timing = { inquiryIntervalMs, alarmAfterMs, maximumNudges };
  return pickUp({
    ...options,
    rows: 'repairs',
    async find(batchSize) {
      await expireRepairs(database);
      return repairsToStart(database, batchSize);
    },
    start: (found, { id, operationId } = found) =>
      startOnce(
        options,
        startOf<typeof repair>('repair', {
          operation: 'repair',
          workflowId: repairWorkflowId(id, operationId),
          args: [{ repairId: id, operationId, timing, publicUrl }],
          names: namesOf(found, options),
          summary: summaryOf(found),
        }),
      ),
  });
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
