import { type RawBuilder, sql } from 'kysely';
import { expect } from 'vitest';
import type { RepairRow } from '../../../src/db/repairs/repairs.ts';
import type { FailpointName } from '../../../src/runtime/process/failpoint.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { until } from '../../support/until.ts';
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
    | { readonly at: FailpointName; readonly end: Promise<void>; arrived(): void }
    | undefined;
  const scene = await setRepairScene(settings, {
    ...options,
    async failpoint(name) {
      if (halt?.at !== name) return;
      const { arrived, end } = halt;
      halt = undefined;
      arrived();
      await end;
    },
  });
  const { database } = scene.stack;

  /** Halts whoever comes next to a step, until it is let go on. */
  function haltAt(at: FailpointName) {
    const [arrival, end] = [latch(), latch()];
    halt = { at, end: end.opened, arrived: arrival.open };
    return { arrived: arrival.opened, letGo: end.open };
  }

  /** Asks for a repair, and halts it at a step; `letGo` lets it come to its end. */
  async function halted(
    at: FailpointName,
    ask: Step<RepairRow>,
  ): Promise<{ readonly letGo: Step<RepairRow> }> {
    const { arrived, letGo } = haltAt(at);
    const { id } = await ask();
    await arrived;
    return {
      letGo() {
        letGo();
        return scene.ended(id);
      },
    };
  }

  /** Waits until so many wait for a row of the database. */
  const untilWaiting = (count: number): Promise<void> =>
    until(async () => {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
      expect(rows[0]?.waiting).toBe(count);
    });

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

  return { ...scene, haltAt, halted, untilWaiting, meet };
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

export const lockOfTopUp = (id: number) => sql`select from topups where id = ${id} for update`;

/** The lock of the account that vouchers are paid into; whoever waits for it has the wallet already. */
export const lockOfReserve = (partnerId: number) =>
  sql`select from ledger_accounts where partner_id = ${partnerId} and kind = 'reserved'
    for no key update`;
