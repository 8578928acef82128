import { addAuditEntry } from '../../db/access/audit.ts';
import { readNumberOf } from '../../db/cases/case-owner.ts';
import { findShownRepair } from '../../db/repairs/repair-lists.ts';
import { actorOfPerson } from '../../domain/access/access-changes.ts';
import { idOf } from '../../portal/page.ts';
import { problems } from '../../portal/problem-page.ts';
import { numberGivenBy } from '../../repairs/repair-arguments.ts';
import { type CaseKind, casePath, type SupportCaseName } from '../case-path.ts';
import type { StaffPage, StaffRequest } from '../page.ts';
import { casePage } from './case.ts';
import { caseOfRepair, repairPath } from './repairs/repair-parts.ts';
import { repairPage } from './repairs/show-repair.ts';

/** The number of a case, after it is written down who wanted to see it, and why; undefined where there is none. */
async function openNumber(
  { services, session, sourceAddress }: StaffRequest,
  { kind, id }: SupportCaseName,
  reason: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const number = await readNumberOf(services.database, kind, id);
  if (number === undefined) return undefined;
  await services.database.transaction().execute((transaction) =>
    addAuditEntry(transaction, {
      actor: actorOfPerson(session),
      action: 'show number',
      subjectKind: kind,
      subjectId: id,
      details: { sourceAddress, ...reason },
    }),
  );
  return services.numbers.open(number);
}

/** Shows the number of a case once. */
const showNumber = (kind: CaseKind, path: string): StaffPage => ({
  method: 'POST',
  path,
  changesNothing: true,
  access: 'staff',
  needs: 'look',
  async handle(request) {
    const about = { kind, id: idOf(request) };
    const number = await openNumber(request, about);
    return number === undefined ? problems.notFound : casePage(request, about, { number });
  },
});

export const showVoucherNumber = showNumber('voucher', '/vouchers/:id/number');

export const showTopupNumber = showNumber('top-up', '/top-ups/:id/number');

/** The same beside a repair, whose ticket is the reason; with the number that the repair was given. */
export const showRepairNumber: StaffPage = {
  method: 'POST',
  path: '/repairs/:id/number',
  changesNothing: true,
  access: 'staff',
  needs: 'look',
  async handle(request) {
    const row = await findShownRepair(request.services.database, idOf(request));
    const about = row && caseOfRepair(row);
    if (!about) return problems.notFound;
    const reason = { repair: String(row.id), why: row.why };
    const number = await openNumber(request, about, reason);
    if (number === undefined) return problems.notFound;
    return repairPage(request, row, {
      number,
      given: numberGivenBy(row, request.services.secretBox),
    });
  },
};

/** The address of a number that was shown leads back to its page. */
const backFromNumber = (path: string, pathOf: (id: number) => string): StaffPage => ({
  method: 'GET',
  path,
  access: 'staff',
  needs: 'look',
  handle: (request) => Promise.resolve({ kind: 'redirect', to: pathOf(idOf(request)) }),
});

export const backToVoucherCase = backFromNumber('/vouchers/:id/number', (id) =>
  casePath({ kind: 'voucher', id }),
);

export const backToTopupCase = backFromNumber('/top-ups/:id/number', (id) =>
  casePath({ kind: 'top-up', id }),
);

export const backToRepair = backFromNumber('/repairs/:id/number', repairPath);
