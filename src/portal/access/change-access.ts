import { addAuditEntry } from '../../db/access/audit.ts';
import { lockCompany } from '../../db/access/company-access.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { type AccessChangeName, actorOfPerson } from '../../domain/access/access-changes.ts';
import type { PersonRequest } from '../page.ts';

/**
 * Changes a company's access, or that of a person of the service, in one transaction with the entry of the audit log, of which owners
 * are told (domain/access/access-changes.ts). Changes of one
 * company run one at a time, so that limits hold. `work` answers what the page shows and what the
 * log stores (never a secret), or undefined where nothing changed.
 */
export const changeAccess = <Result>(
  request: PersonRequest,
  action: AccessChangeName,
  work: (transaction: DatabaseTransaction) => Promise<
    | {
        readonly result: Result;
        readonly details: Readonly<Record<string, unknown>>;
      }
    | undefined
  >,
): Promise<Result | undefined> =>
  request.services.database.transaction().execute(async (transaction) => {
    const { session, sourceAddress } = request;
    if (session.company.kind !== 'staff') await lockCompany(transaction, session.company);
    const change = await work(transaction);
    if (change === undefined) return undefined;
    await addAuditEntry(transaction, {
      actor: actorOfPerson(session),
      action,
      subjectKind: session.company.kind,
      subjectId: session.company.id,
      details: { ...change.details, sourceAddress },
    });
    return change.result;
  });
