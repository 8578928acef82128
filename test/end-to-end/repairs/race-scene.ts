import { activityInfo } from '@temporalio/activity';
import { type RawBuilder, sql } from 'kysely';
import type { RepairRow } from '../../../src/db/repairs/repairs.ts';
import type { FailpointName } from '../../../src/runtime/process/failpoint.ts';
import { repairWorkflowId } from '../../../workflows/workflow-ids.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { setRepairScene } from './repair-scene.ts';

export type RaceScene = Awaited<ReturnType<typeof setRaceScene>>;

/** Something that is begun, and what it comes to. */
type Step<Result> = () => Promise<Result>;

/** Who comes first: the repair, or what it meets. */
export type First = 'repair' | 'other';

export const bothOrders: readonly First[] = ['repair', 'other'];

/** A scene of repairs whose worker can be halted at a step, and steps that come in a forced order. */
export async function setRaceScene(...[settings, options]: Parameters<typeof setRepairScene>) {
  let halt:
    | {
        readonly at: FailpointName;
        readonly end: Promise<void>;
        arrived(): void;
        isMeant(): Promise<boolean>;
      }
    | undefined;
  const scene = await setRepairScene(settings, {
    ...options,
    async failpoint(name) {
      const met = halt;
      if (met?.at !== name || !(await met.isMeant()) || met !== halt) return;
      halt = undefined;
      met.arrived();
      await met.end;
    },
  });
  const { database } = scene.stack;

  /** Halts whoever comes next to a step, or the next who is meant, until it is let go on. */
  function haltAt(at: FailpointName, isMeant = () => Promise.resolve(true)) {
    const [arrival, end] = [latch(), latch()];
    halt = { at, end: end.opened, arrived: arrival.open, isMeant };
    return { arrived: arrival.opened, letGo: end.open };
  }

  /**
   * Asks for a repair, and halts it at a step; `letGo` lets it come to its end. The halt is for this repair
   * alone: an earlier one whose workflow is started a second time comes to its steps again.
   */
  async function halted(
    at: FailpointName,
    ask: Step<RepairRow>,
  ): Promise<{ readonly letGo: Step<RepairRow> }> {
    const asked = Promise.resolve().then(ask);
    const { arrived, letGo } = haltAt(at, async () => {
      const { id, operation_id } = await asked;
      return activityInfo().workflowExecution?.workflowId === repairWorkflowId(id, operation_id);
    });
    const { id } = await asked;
    await arrived;
    return {
      letGo() {
        letGo();
        return scene.ended(id);
      },
    };
  }

  /**
   * Lets a repair and something else wait for one row, which `lock` locks, the first of them first: the
   * database lets them go in this order. Either may come to the row later, such as by a timer.
   */
  async function meet<Answer>(
    { lock, first }: { readonly lock: RawBuilder<unknown>; readonly first: First },
    steps: { readonly repair: Step<RepairRow>; readonly other: Step<Answer> },
  ): Promise<{ readonly row: RepairRow; readonly answer: Answer }> {
    const begun = await database.transaction().execute(async (transaction) => {
      await lock.execute(transaction);
      const begin = { repair: () => steps.repair(), other: () => steps.other() };
      const running: { repair?: Promise<RepairRow>; other?: Promise<Answer> } = {};
      const order =
        first === 'repair' ? (['repair', 'other'] as const) : (['other', 'repair'] as const);
      for (const [index, name] of order.entries()) {
        Object.assign(running, { [name]: begin[name]() });
        await untilBlockedBy(transaction, database, index + 1);
      }
      // In an object, so that neither is awaited while the lock is held.
      return running as Required<typeof running>;
    });
    return { row: await begun.repair, answer: await begun.other };
  }

  return { ...scene, haltAt, halted, meet };
}

/** Opened once. */
function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

export const lockOfVoucher = ({ id }: { readonly id: number }) =>
  sql`select from vouchers where id = ${id} for update`;

export const lockOfTopup = (id: number) => sql`select from topups where id = ${id} for update`;

/** The lock of the account that vouchers are paid into; whoever waits for it has the wallet already. */
export const lockOfReserve = (partnerId: number) =>
  sql`select from ledger_accounts where partner_id = ${partnerId} and kind = 'reserved'
    for no key update`;
