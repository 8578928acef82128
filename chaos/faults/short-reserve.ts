import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type FaultScene, persist } from './fault-scene.ts';

/** What such a fault books is recognised by this, and left out of what clients have asked for. */
export const SHORT_RESERVE = 'chaos:short-reserve:';

const DUE_VOUCHERS = 3;
/** Longer than two expiry runs; other faults may keep the expiry run from its work meanwhile. */
const PATIENCE_MS = 15_000;

/**
 * Takes the reserve of one partner away, as a wrong booking would, and lets vouchers of every partner
 * become due. The expiry run must expire the others' vouchers; when the reserve is back, also the partner's.
 */
export async function shortenReserve({ stack, world, random }: FaultScene): Promise<string> {
  const { database } = stack;
  const short = random.pick(world.partners).id;
  const operationId = `${SHORT_RESERVE}${random.integer(0, 2 ** 31)}`;
  const taken = await persist(() => moveReserve(operationId, 'take'));
  const due = await persist(makeDue);
  const others = due.filter(({ partner_id }) => partner_id !== short).map(({ id }) => id);
  const startedAt = Date.now();
  const isOver = async () =>
    Date.now() - startedAt > PATIENCE_MS || (await countActive(others)) === 0;
  while (!(await persist(isOver))) await sleep(250);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  if (taken) await persist(() => moveReserve(operationId, 'give back'));
  return `partner ${short}, ${due.length} vouchers due, those of others looked at for ${seconds} s`;

  /** Moves all that is reserved into the funding account, or what was taken back; false where it is done. */
  async function moveReserve(id: string, step: 'take' | 'give back'): Promise<boolean> {
    const { rows } = await sql`
      insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
      select ${id}, ${step},
        case when ${step === 'take'}::boolean then reserved.id else funding.id end,
        case when ${step === 'take'}::boolean then funding.id else reserved.id end,
        case when ${step === 'take'}::boolean then reserved.balance
          else (select amount from ledger_transfers where operation_id = ${id} and step = 'take') end
      from ledger_accounts as reserved, ledger_accounts as funding
      where reserved.kind = 'reserved' and reserved.partner_id = ${short}
        and funding.kind = 'funding' and (reserved.balance > 0 or ${step} <> 'take')
      on conflict (operation_id, step) do nothing
      returning id`.execute(database);
    return rows.length > 0 || (await isTaken(id));
  }

  /** An earlier try may have got as far as its commit. */
  async function isTaken(id: string): Promise<boolean> {
    const { rows } = await sql`
      select from ledger_transfers where operation_id = ${id} and step = 'take'`.execute(database);
    return rows.length > 0;
  }

  async function makeDue() {
    const { rows } = await sql<{ id: number; partner_id: number }>`
      update vouchers set expires_at = now() where id in (
        select chosen.id from partners cross join lateral (
          select vouchers.id from vouchers
          where vouchers.partner_id = partners.id and status = 'ACTIVE' and expires_at > now()
          order by vouchers.id desc limit ${DUE_VOUCHERS}) as chosen (id))
      returning id, partner_id`.execute(database);
    return rows;
  }

  async function countActive(ids: readonly number[]): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from vouchers
      where id = any(${ids}::bigint[]) and status = 'ACTIVE'`.execute(database);
    return rows[0]?.count ?? 0;
  }
}
