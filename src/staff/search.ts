import type { Digests } from '../crypto/digests.ts';
import { addAuditEntry } from '../db/access/audit.ts';
import { type FoundCases, findCases } from '../db/cases/find-cases.ts';
import { type FoundRecord, findOperationRecord, findRecords } from '../db/cases/find-records.ts';
import type { Database } from '../db/connection.ts';
import { auditedTerm, readSearchTerm } from '../domain/staff/search-term.ts';

const SHOWN = 20;

/** What somebody looked for found. */
export interface SearchResult extends FoundCases {
  /** What else it found, newest first. */
  readonly records: readonly FoundRecord[];
  /** The workflow of this id is about no single voucher or top-up: what it does. */
  readonly workflow: { readonly id: string; readonly about: string } | undefined;
}

/** Finds cases by whatever text a customer has given, and records in the audit log who looked for what. */
export async function searchCases(
  { database, digests }: { readonly database: Database; readonly digests: Digests },
  text: string,
  asked: { readonly actor: string; readonly details?: Readonly<Record<string, unknown>> },
): Promise<SearchResult> {
  const term = readSearchTerm(text);
  const { msisdn, voucherCode, about, ...plain } = term ?? {};
  const searched = {
    ...plain,
    ...(msisdn !== undefined && { numberHash: digests.numberHash(msisdn) }),
    ...(voucherCode !== undefined && { codeDigests: digests.stored.voucherCode(voucherCode) }),
  };
  const { more, cases } = await findCases(database, searched, SHOWN);
  const named = await findRecords(database, searched);
  const isFound = cases.length + named.length > 0;
  const records = isFound ? named : await findOperationRecord(database, searched);
  const found = cases.length + more + records.length;
  await database.transaction().execute((transaction) =>
    addAuditEntry(transaction, {
      actor: asked.actor,
      action: 'find case',
      subjectKind: 'search',
      subjectId: 0,
      details: {
        ...auditedTerm(term, digests.numberHash, found > 0),
        found,
        ...asked.details,
      },
    }),
  );
  const workflow = about === undefined || isFound ? undefined : { id: text.trim(), about };
  return { cases, more, records, workflow };
}
