import { addAuditEntry } from '../../db/access/audit.js';
import { readNumberOf } from '../../db/cases/case-owner.js';
import { actorOfPerson } from '../../domain/access/access-changes.js';
import { idOf } from '../../portal/page.js';
import { problems } from '../../portal/problem-page.js';
import { type CaseKind, casePath } from '../case-path.js';
import type { StaffPage } from '../page.js';
import { casePage } from './case.js';

/** Shows the number of a case once, after it is written down who wanted to see it. */
const showNumber = (kind: CaseKind, path: string): StaffPage => ({
  method: 'POST',
  path,
  changesNothing: true,
  access: 'staff',
  needs: 'look',
  async handle(request) {
    const { services, session, sourceAddress } = request;
    const id = idOf(request);
    const number = await readNumberOf(services.database, kind, id);
    if (number === undefined) return problems.notFound;
    await services.database.transaction().execute((transaction) =>
      addAuditEntry(transaction, {
        actor: actorOfPerson(session),
        action: 'show number',
        subjectKind: kind,
        subjectId: id,
        details: { sourceAddress },
      }),
    );
    return casePage(request, { kind, id }, { number: services.numbers.open(number) });
  },
});

export const showVoucherNumber = showNumber('voucher', '/vouchers/:id/number');

export const showTopupNumber = showNumber('top-up', '/top-ups/:id/number');

/** The address of a number that was shown leads back to its case. */
const backToCase = (kind: CaseKind, path: string): StaffPage => ({
  method: 'GET',
  path,
  access: 'staff',
  needs: 'look',
  handle: (request) =>
    Promise.resolve({ kind: 'redirect', to: casePath({ kind, id: idOf(request) }) }),
});

export const backToVoucherCase = backToCase('voucher', '/vouchers/:id/number');

export const backToTopupCase = backToCase('top-up', '/top-ups/:id/number');
