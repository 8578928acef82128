import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';
import type { Word } from '../../src/domain/positions/placement.ts';
import {
  type ProviderInquiry,
  type ProviderOutcome,
  unknown,
} from '../../src/providers/outcome.ts';
import { orSettledByHand } from '../repairs/settlements.ts';

interface Other {
  readonly provider: string;
  readonly isCurrent: boolean;
  readonly word: Word;
  readonly isDone: boolean;
  readonly providerReference: string | null;
}

/**
 * What a workflow may conclude from the answer of the present provider: an order that some provider has done by now is
 * done, and one that another provider may have done is not refused yet.
 */
export async function withOtherPlacements<Found extends ProviderOutcome | ProviderInquiry>(
  database: Database,
  operationId: string,
  found: Found,
  asked: { readonly failovers: readonly unknown[] },
): Promise<Found | ProviderOutcome> {
  const isPlain =
    found.kind === 'delivered' || (found.kind === 'refused' && asked.failovers.length === 0);
  if (isPlain || (found.kind === 'not-sent' && asked.failovers.length === 0)) return found;
  const { rows } = await sql<Other>`
    select provider, position = max(position) over () as "isCurrent", word, done > 0 as "isDone",
      provider_reference as "providerReference"
    from placements where operation_id = ${operationId} and kind <> 'reversal'`.execute(database);
  const isOver = found.kind === 'refused' || found.kind === 'not-sent';
  const done = rows.find(({ isDone, isCurrent }) => isDone && !(isCurrent && isOver));
  if (done) return { kind: 'delivered', providerReference: done.providerReference ?? '' };
  const open = rows.find(
    ({ word, isCurrent }) => !isCurrent && (word === 'pending' || word === 'other'),
  );
  return open ? unknown(`${open.provider} has not said clearly what it did.`) : found;
}

/** The same of an inquiry, which a person may have answered where the provider does not say. */
export const afterInquiry = async (
  database: Database,
  operationId: string,
  answer: ProviderInquiry,
  asked: { readonly failovers: readonly unknown[] },
): Promise<ProviderInquiry> =>
  withOtherPlacements(
    database,
    operationId,
    await orSettledByHand(database, operationId, answer),
    asked,
  );
