import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';
import type { ReceivedMessage } from '../../src/sandbox/requests.ts';
import { readBooks } from '../settle-pending.ts';

/** A message, as our database has it. */
export interface OwnMessage {
  readonly id: number;
  readonly status: string;
  readonly provider: string | null;
  /** The id that the provider gave it. */
  readonly reference: string | null;
}

type Received = Pick<ReceivedMessage, 'id' | 'provider'>;

/** Compares the messages that phones received with those that we sent (I6). */
export async function compareMessages(database: Database, sandboxUrl: string): Promise<string[]> {
  const { rows } = await sql<OwnMessage>`
    select id, status, provider, provider_reference as reference from messages`.execute(database);
  return compareMessageRows(rows, (await readBooks(sandboxUrl)).messages);
}

/**
 * Each message is sent at most once by all providers together: one that was sent has one message of its
 * provider, and without a confirmation it has one at most.
 */
export function compareMessageRows(
  own: readonly OwnMessage[],
  received: readonly Received[],
): string[] {
  const findings: string[] = [];
  const known = new Map(
    own.flatMap((row) => (row.reference === null ? [] : [[row.reference, row] as const])),
  );
  const told = new Set<string>();
  for (const { id, provider } of received) {
    const asked = known.get(id)?.provider;
    if (told.has(id)) findings.push(`message ${id} of ${provider} was received twice`);
    told.add(id);
    if (asked !== undefined && asked !== provider)
      findings.push(`message ${id} came by ${provider}, and is of ${asked} here`);
  }
  const unconfirmed = received.filter(({ id }) => !known.has(id)).length;
  const unknown = own.filter(({ status }) => status === 'UNKNOWN').length;
  if (unconfirmed > unknown)
    findings.push(`${unconfirmed} messages were received that ${unknown} unknown ones explain`);
  return findings;
}
