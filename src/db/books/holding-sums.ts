import { type RawBuilder, sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import type { Database } from '../connection.ts';

/** What the vouchers of a partner hold. */
interface Holding {
  readonly partner_id: number;
  readonly remaining: string;
  readonly held: string;
}

/** The sums of vouchers with nearby ids, by their block: the first id is block × `size` + 1. */
export interface HoldingSums {
  readonly size: number;
  readonly blocks: Map<number, readonly Holding[]>;
  /** The last voucher of the blocks: all with lower ids are committed, or will never come. */
  readonly settledTo: number;
  /** SQL query: the vouchers that may hold something else since the sums were begun. */
  readonly changed: RawBuilder<{ id: number }>;
}

/** Passes over what has changed in the meantime: each is much shorter than the one before. */
const PASSES = 3;

/**
 * SQL query: the vouchers whose value moved since now. Each move is a change of status, a reversal that a merchant
 * asked for, which makes a live voucher grow, or the settling of a case. All are looked for from before what is not
 * settled yet.
 */
async function changesFromNow(database: Database): Promise<RawBuilder<{ id: number }>> {
  const { rows } = await sql<{ change: number; time: Date }>`
    select checked_to as change, now() - interval '1 hour' as time
    from book_checkpoints where source = 'status-changes'`.execute(database);
  const { change = 0, time = new Date(0) } = rows[0] ?? {};
  return sql`
    select voucher_id as id from voucher_status_changes where id > ${change}
    union
    select redemptions.voucher_id from redemption_reversals as reversal
    join redemptions on redemptions.id = reversal.redemption_id
    where reversal.status = 'SUCCESS' and reversal.settled_at >= ${time}
    union
    select voucher_id from cases where voucher_id is not null and closed_at >= ${time}`;
}

/** Adds up vouchers in blocks, each with a short snapshot of its own, and those again that have changed. */
export async function addUpHoldings(
  database: Database,
  size: number,
  note: (progress: string) => void,
): Promise<HoldingSums> {
  const blocks = new Map<number, readonly Holding[]>();
  let changed = await changesFromNow(database);
  const { checked_to: settledTo } = await database
    .selectFrom('book_checkpoints')
    .select('checked_to')
    .where('source', '=', 'vouchers')
    .executeTakeFirstOrThrow();
  for (let block = 0; ; block += 1) {
    // After a restore many ids are skipped.
    const next = await nextVoucher(database, block * size);
    if (next > settledTo) break;
    block = Math.floor((next - 1) / size);
    blocks.set(block, await sumOfBlock(database, { block, size, settledTo }));
    note(`holdings, voucher ${Math.min((block + 1) * size, settledTo)} of ${settledTo}`);
  }
  for (let pass = 1; pass < PASSES; pass += 1) {
    const next = await changesFromNow(database);
    for (const block of await changedBlocks(database, { size, settledTo, changed }))
      blocks.set(block, await sumOfBlock(database, { block, size, settledTo }));
    changed = next;
  }
  return { size, blocks, settledTo, changed };
}

/**
 * SQL query: `partner_id`, `remaining` and `held` of all vouchers as a snapshot sees them. The snapshot reads
 * the blocks that have changed since they were added up, and the vouchers after the last block.
 */
export async function holdingsIn(
  snapshot: Database,
  sums: HoldingSums,
): Promise<RawBuilder<unknown>> {
  const blocks = new Map(sums.blocks);
  for (const block of await changedBlocks(snapshot, sums))
    blocks.set(block, await sumOfBlock(snapshot, { block, ...sums }));
  const totals = new Map<number, { remaining: Money; held: Money }>();
  for (const { partner_id: id, remaining, held } of [...blocks.values()].flat()) {
    const known = totals.get(id) ?? { remaining: 0n, held: 0n };
    totals.set(id, {
      remaining: known.remaining + parseMoney(remaining),
      held: known.held + parseMoney(held),
    });
  }
  const all = [...totals];
  return sql`
    select * from unnest(${all.map(([id]) => id)}::bigint[],
      ${all.map(([, { remaining }]) => formatMoney(remaining))}::numeric[],
      ${all.map(([, { held }]) => formatMoney(held))}::numeric[])
      as summed (partner_id, remaining, held)
    union all
    select partner_id, remaining, held from vouchers where id > ${sums.settledTo}`;
}

/** The id of the first voucher after an id; infinite if there is none. */
async function nextVoucher(database: Database, after: number): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select min(id) as id from vouchers where id > ${after}`.execute(database);
  return rows[0]?.id ?? Number.POSITIVE_INFINITY;
}

async function sumOfBlock(
  database: Database,
  { block, size, settledTo }: Pick<HoldingSums, 'size' | 'settledTo'> & { readonly block: number },
): Promise<Holding[]> {
  const { rows } = await sql<Holding>`
    select partner_id, sum(remaining) as remaining, sum(held) as held from vouchers
    where id > ${block * size} and id <= ${Math.min((block + 1) * size, settledTo)}
    group by partner_id`.execute(database);
  return rows;
}

async function changedBlocks(
  database: Database,
  { size, settledTo, changed }: Pick<HoldingSums, 'size' | 'settledTo' | 'changed'>,
): Promise<number[]> {
  const { rows } = await sql<{ block: number }>`
    select distinct (id - 1) / ${size}::bigint as block from (${changed}) as changes
    where id <= ${settledTo}`.execute(database);
  return rows.map(({ block }) => block);
}
