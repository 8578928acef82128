import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../../src/db/connection.ts';
import { book } from '../../src/db/positions/book.ts';
import { observed } from '../../src/db/positions/change.ts';
import { currentOf, lockOrder } from '../../src/db/positions/orders.ts';
import {
  currentPlacement,
  providerOf,
  providerReferenceOf,
} from '../../src/db/positions/placements.ts';
import type { Observation } from '../../src/domain/positions/placement.ts';

/** Where an order is by now, by the column of its operation. */
export const atProvider = (operationId: string) => {
  const operation = sql.ref(operationId);
  const current = (column: 'silent_since' | 'ask_at') =>
    sql<Date | null>`(select ${sql.ref(column)} from ${currentPlacement(operation)} as placed)`;
  return [
    providerOf(operation).as('provider'),
    providerReferenceOf(operation).as('provider_reference'),
    current('silent_since').as('silent_since'),
    current('ask_at').as('ask_at'),
  ] as const;
};

/** An order at each of its providers, in their order. */
export const placementsOf = (database: Database, operationId: string) =>
  database
    .selectFrom('placements')
    .selectAll()
    .where('operation_id', '=', operationId)
    .orderBy('position')
    .orderBy('id')
    .execute();

/** Has the next reconciliation ask about an order. */
export const askNow = async (database: Database, reference: string): Promise<void> => {
  await sql`
    update placements set ask_at = clock_timestamp() where reference = ${reference}`.execute(
    database,
  );
};

/** Has the next reconciliation ask about everything that is asked about some time. */
export const askAll = async (database: Database): Promise<void> => {
  await sql`
    update placements set ask_at = clock_timestamp() where ask_at is not null`.execute(database);
};

/** Books what a provider of an order says now: its present one, unless another one, a placement, or its reversal, is named. */
export async function observe(
  transaction: DatabaseTransaction,
  operationId: string,
  {
    provider,
    placed,
    isOfReversal = false,
    ...seen
  }: Omit<Observation, 'at' | 'source'> & {
    readonly provider?: string;
    /** The reference of the placement. */
    readonly placed?: string;
    readonly isOfReversal?: boolean;
    readonly at?: number;
    readonly source?: Observation['source'];
  },
): Promise<void> {
  const order = await lockOrder(transaction, operationId);
  const named = order.position.placements.find((one) =>
    isOfReversal ? one.kind === 'reversal' : one.reference === placed || one.provider === provider,
  );
  const { id } = named ?? currentOf(order.position.placements);
  const { source = 'inquiry' } = seen;
  const after = observed(order.position, id, { at: order.now, source, ...seen });
  await book(transaction, order, after, { source }, { reversalWatchSeconds: 604_800 });
}

/** A provider does what it had refused, and the books hear of it. */
export const doneLate = (
  database: Database,
  operationId: string,
  providerReference = 'OP-late',
): Promise<void> =>
  database
    .transaction()
    .execute((transaction) =>
      observe(transaction, operationId, { said: 'done', providerReference }),
    );

/** A provider takes back what it had done. */
export const takenBack = (database: Database, operationId: string): Promise<void> =>
  database
    .transaction()
    .execute((transaction) => observe(transaction, operationId, { said: 'undone' }));

/** The provider does the reversal of a payment that the merchant asked for. */
export const reverse = (
  database: Database,
  operationId: string,
  providerReference = 'OP-reversal',
): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    const order = await lockOrder(transaction, operationId);
    const reversal = order.position.placements.find(({ kind }) => kind === 'reversal');
    const seen = { at: order.now, source: 'answer', said: 'done', providerReference } as const;
    const told = observed(order.position, reversal?.id ?? 0, seen);
    const after = { ...told, order: { ...told.order, isCharged: false } };
    await book(transaction, order, after, seen, { reversalWatchSeconds: 604_800 });
  });
