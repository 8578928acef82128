import type { z } from 'zod';
import { paymentFacts } from '../../../db/repairs/payment-facts.ts';
import { actorOfPerson } from '../../../domain/access/access-changes.ts';
import { mayAsStaff, needOfRepair } from '../../../domain/staff/staff-role.ts';
import { readName } from '../../../portal/layout/form.ts';
import { message } from '../../../portal/layout/parts.ts';
import type { PageAnswer } from '../../../portal/page.ts';
import { problems } from '../../../portal/problem-page.ts';
import { html } from '../../../rendering/html.ts';
import { askRepair as ask } from '../../../repairs/ask-repair.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import { findRepairKind } from '../../../repairs/repair-kinds.ts';
import type { SupportCaseName } from '../../case-path.ts';
import { type StaffPage, type StaffRequest, SUPPORT_PATH } from '../../page.ts';
import { casePage } from '../case.ts';
import { openCasePage } from '../cases/show-case.ts';
import { labelOf } from './repair-form.ts';
import { repairPath } from './repair-parts.ts';

/** Asks for a repair; a form that is sent twice is one. */
export const askRepairPage: StaffPage = {
  method: 'POST',
  path: '/repairs/ask/:kind',
  access: 'staff',
  needs: 'ask',
  async handle(request) {
    const { services, session, staff, form, params } = request;
    const kind = findRepairKind(params.kind ?? '');
    const once = form.text('once');
    if (!kind || !/^[\w-]{43}$/.test(once)) return problems.notFound;
    if (!mayAsStaff(staff.role, needOfRepair(kind.subject))) return problems.notYourRole;
    const refused = (words: string) => refusedPage(request, kind, words);
    const given = namesOf(kind).map((name) => [name, form.text(name) || undefined]);
    const args = kind.fields.safeParse(Object.fromEntries(given));
    const why = readName(form.text('why'), 200);
    if (!args.success)
      return refused(args.error.issues.map((issue) => wordsOf(kind, issue)).join('; '));
    if (why === undefined) return refused('Write the ticket and the reason in one line.');
    const asked = await services.database.transaction().execute((transaction) =>
      ask(
        transaction,
        {
          kind,
          subjectId: form.text('subject').trim(),
          args: args.data,
          why,
          actor: actorOfPerson(session),
          requestKey: `support:${once}`,
        },
        { limits: services.settings.repairs, secretBox: () => services.secretBox },
      ),
    );
    return asked.kind === 'refused'
      ? refused(asked.refusal)
      : { kind: 'redirect', to: repairPath(asked.row.id) };
  },
};

const wordsOf = (kind: RepairKind, { path, message: words }: z.core.$ZodIssue): string =>
  `“${labelOf(kind, String(path[0]))}” ${words}`;

const namesOf = ({ fields }: RepairKind): readonly string[] => Object.keys(fields.shape);

/** The case as it is now, with why nothing was done, and what was typed. */
async function refusedPage(
  request: StaffRequest,
  kind: RepairKind,
  words: string,
): Promise<PageAnswer> {
  const { form } = request;
  const subjectId = form.text('subject').trim();
  const about = await caseOf(request, kind, subjectId);
  const values = Object.fromEntries(
    [...namesOf(kind), 'why'].map((name) => [name, form.text(name)]),
  );
  const refused = { kind: kind.name, subjectId, values, words };
  const page =
    kind.subject === 'case'
      ? await openCasePage(request, Number(subjectId), refused)
      : about && (await casePage(request, about, { refused }));
  return page?.kind === 'page' ? page : refusedWithoutCase(kind, words);
}

/** A wallet has no case, and what nobody has has none. */
const refusedWithoutCase = (kind: RepairKind, words: string): PageAnswer => ({
  kind: 'page',
  title: 'Not asked for',
  status: 409,
  content: html`<h1>Not asked for</h1>${message('danger', html`${words}`)}
<p class="actions">${
    needOfRepair(kind.subject) === 'operate'
      ? html`<a class="button secondary" href="${SUPPORT_PATH}/wallets">Back to the wallets</a>`
      : html`<a class="button secondary" href="${SUPPORT_PATH}">Find a case</a>`
  }</p>`,
});

async function caseOf(
  { services }: StaffRequest,
  { subject }: RepairKind,
  subjectId: string,
): Promise<SupportCaseName | undefined> {
  if (!/^[0-9]{1,15}$/.test(subjectId)) return undefined;
  const id = Number(subjectId);
  if (subject === 'voucher' || subject === 'top-up') return { kind: subject, id };
  const facts = subject === 'redemption' && (await paymentFacts(services.database, id));
  return facts ? { kind: 'voucher', id: facts.voucherId } : undefined;
}
