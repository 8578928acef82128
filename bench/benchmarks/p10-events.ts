import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Bench, Benchmark } from '../benchmark.ts';
import { measureCpuInTurns } from '../cpu/in-turns.ts';
import { type Service, withServices } from '../service.ts';
import type { Sides } from '../statistics.ts';
import { eventsNumbered } from '../voucher-lives.ts';

/** Bar: a share of the CPU of generate-voucher. */
const GREATEST = 1.05;

/** The time in which the events of a load are numbered. */
const NUMBERING_MS = 700;

/** Numbering at its usual pace; and as if there were none. */
const NO_NUMBERING = { EVENT_NUMBERING_SECONDS: '86400' };

/**
 * P10: what events cost generate-voucher, in CPU milliseconds a call over all processes: a service
 * that writes and numbers them against one whose triggers are off, in turns.
 */
export const eventsBenchmark: Benchmark = {
  name: 'P10',
  async run(bench) {
    const title = 'CPU of generate-voucher, with events / without';
    const sides = { subject: ['one process'], baseline: ['one process', NO_NUMBERING] } as const;
    const costs = await withServices(bench, sides, (services) =>
      bench.progress.step(`P10 ${title}`, async (note) => {
        await switchEventsOff(services.baseline);
        return measure(bench, services, note);
      }),
    );
    return [{ title, costs, greatest: GREATEST }];
  },
};

async function measure(bench: Bench, services: Sides<Service>, note: (detail: string) => void) {
  const { costs, completed } = await measureCpuInTurns(bench, services, {
    note,
    async settled(side) {
      // Numbering is a part of the cost; what runs meanwhile for nobody costs both sides the same.
      await sleep(NUMBERING_MS);
      if (side === 'subject') await eventsNumbered(services.subject);
    },
  });
  await requireEvents(services.subject, completed.subject);
  await requireEvents(services.baseline, 0);
  return costs;
}

/** As it was before there were events. */
const switchEventsOff = ({ database }: Service) =>
  sql`
    alter table vouchers disable trigger vouchers_tell_generated;
    alter table vouchers disable trigger vouchers_tell_ended;
    alter table ledger_accounts disable trigger ledger_accounts_tell_low;
  `.execute(database);

/** @throws unless there are so many events of generated vouchers */
async function requireEvents({ database }: Service, expected: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from events where type = 'voucher.generated'`.execute(database);
  const found = rows[0]?.count;
  if (found !== expected) throw new Error(`There are ${found} events of ${expected} vouchers`);
}
