import { sql } from 'kysely';
import { setRepairScene } from '../../end-to-end/repairs/repair-scene.ts';
import { firstWords } from './first-words.ts';
import { staffClient } from './staff-client.ts';

export type StaffScene = Awaited<ReturnType<typeof setStaffScene>>;

/** A scene of repairs with a support agent at the pages of /support. */
export async function setStaffScene(...given: Parameters<typeof setRepairScene>) {
  const scene = await setRepairScene(...given);
  const agent = await staffClient(scene.stack);
  /** What a page says first. */
  const first = (path: string) => firstWords(agent.client, path);

  /** Lets a provider have an order since an hour: it does not come to its end by itself any more. */
  const placedLongAgo = (operationId: string) =>
    scene.stack.database
      .updateTable('placements')
      .set({ placed_at: sql<Date>`now() - interval '1 hour'` })
      .where('operation_id', '=', operationId)
      .execute();

  return {
    ...scene,
    agent,
    placedLongAgo,
    first,
    firstOfVoucher: (id: number) => first(`/support/vouchers/${id}`),
    firstOfRepair: (id: number) => first(`/support/repairs/${id}`),
    pageOfRepair: async (id: number) => (await agent.client.get(`/support/repairs/${id}`)).html,
    /** Types a text into the field of the search. */
    find: (what: string) => agent.client.submit('/support', '/support/find', { what }),
  };
}
