import { serialNumberOf } from '../../../db/cases/case-owner.js';
import { redemptionsOfVoucher } from '../../../db/repairs/payment-facts.js';
import { listRepairs } from '../../../db/repairs/repair-lists.js';
import { actorOfPerson } from '../../../domain/access/access-changes.js';
import type { RepairSubject } from '../../../domain/repairs/repair.js';
import { mayAsStaff, type StaffNeed } from '../../../domain/staff/staff-role.js';
import { readName } from '../../../portal/layout/form.js';
import { emptyState, message } from '../../../portal/layout/parts.js';
import type { PageAnswer } from '../../../portal/page.js';
import { problems } from '../../../portal/problem-page.js';
import { html } from '../../../process/html.js';
import { askRepair as ask } from '../../../repairs/ask-repair.js';
import type { RepairKind, RepairLimits } from '../../../repairs/repair-kind.js';
import { findRepairKind, repairKinds } from '../../../repairs/repair-kinds.js';
import { type StaffPage, type StaffRequest, SUPPORT_PATH } from '../../page.js';
import { repairForm } from './repair-form.js';
import { repairPath, repairTable } from './repair-parts.js';

const NEWEST = 20;

/** Whoever repairs wallets gives money of the platform, or takes money of a partner. */
const needOf = ({ subject }: RepairKind): StaffNeed =>
  subject === 'deposit' || subject === 'partner' ? 'operate' : 'ask';

/** A case, and what of it can be repaired. */
interface CaseOfRepairs {
  readonly path: string;
  readonly name: string;
  readonly subjects: readonly (readonly [kind: RepairSubject, id: string])[];
  readonly selection: { readonly voucherId?: number; readonly topupId?: number };
}

const caseOf = async (
  { services }: StaffRequest,
  kind: 'vouchers' | 'top-ups',
  id: number,
): Promise<CaseOfRepairs> => {
  const path = `${SUPPORT_PATH}/${kind}/${id}`;
  if (kind === 'top-ups')
    return {
      path,
      name: `top-up ${id}`,
      subjects: [['top-up', String(id)]],
      selection: { topupId: id },
    };
  const redemptions = await redemptionsOfVoucher(services.database, id);
  return {
    path,
    name: `voucher ${await serialNumberOf(services.database, id)}`,
    subjects: [
      ['voucher', String(id)],
      ...redemptions.map((redemption) => ['redemption', String(redemption)] as const),
    ],
    selection: { voucherId: id },
  };
};

const repairsPage = (kind: 'vouchers' | 'top-ups'): StaffPage => ({
  method: 'GET',
  path: `/${kind}/:id/repairs`,
  access: 'staff',
  needs: 'ask',
  async handle(request) {
    const id = Number(request.params.id);
    if (!Number.isSafeInteger(id)) return problems.notFound;
    const found = await caseOf(request, kind, id);
    const offers = await offersOf(request, found);
    if (offers === undefined) return problems.notFound;
    const { database } = request.services;
    const earlier = await listRepairs(database, { ...found.selection, limit: NEWEST });
    return {
      kind: 'page',
      title: `Repairs of ${found.name}`,
      content: html`<p><a href="${found.path}">Back to the case</a></p>
<h1>Repairs of ${found.name}</h1>
${earlier.length > 0 && html`<section class="card">${repairTable('Repairs so far', earlier)}</section>`}
${
  offers.length === 0
    ? emptyState('No repair is possible now', 'The case says what to do next.')
    : offers.map(({ kind, subjectId, label }) =>
        repairForm(request, kind, { key: subjectId, about: label, subject: subjectId }),
      )
}`,
    };
  },
});

/** The repairs of a voucher that are possible now, each with its form. */
export const showVoucherRepairs = repairsPage('vouchers');

/** The repairs of a top-up that are possible now. */
export const showTopupRepairs = repairsPage('top-ups');

interface Offer {
  readonly kind: RepairKind;
  readonly subjectId: string;
  readonly label: string;
}

/** What is possible now; undefined where there is no such case. */
async function offersOf(
  { services }: StaffRequest,
  { subjects }: CaseOfRepairs,
): Promise<Offer[] | undefined> {
  const offers: Offer[] = [];
  const { repairs: limits } = services.settings;
  for (const [subject, subjectId] of subjects)
    for (const kind of repairKinds.filter((one) => one.subject === subject)) {
      const found = await kind.judge(
        services.database,
        subjectId,
        examplesOf(kind, limits),
        limits,
      );
      if (!found) return undefined;
      if (found.refusal === undefined) offers.push({ kind, subjectId, label: found.label });
    }
  // What is under way is settled before anything else is done about the voucher.
  return offers.toSorted((one, other) => rankOf(one) - rankOf(other));
}

const rankOf = ({ kind }: Offer): number => (kind.name === 'settle-payment' ? 0 : 1);

/** Values of fields that are possible at most: with these the state alone decides what is offered. */
const examplesOf = (
  { fields }: RepairKind,
  { voucherValidityDays }: RepairLimits,
): Readonly<Record<string, string>> =>
  'until' in fields.shape
    ? { until: new Date(Date.now() + voucherValidityDays * DAY_MS).toISOString() }
    : {};

const DAY_MS = 86_400_000;

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
    if (!mayAsStaff(staff.role, needOf(kind))) return problems.notYourRole;
    const given = Object.keys(kind.fields.shape).map((name) => [
      name,
      form.text(name) || undefined,
    ]);
    const args = kind.fields.safeParse(Object.fromEntries(given));
    const why = readName(form.text('why'), 200);
    if (!args.success)
      return refused(
        args.error.issues
          .map(({ path, message: words }) => `${path.join('.')} ${words}`)
          .join('; '),
      );
    if (why === undefined) return refused('The reason must be one line.');
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

const refused = (words: string): PageAnswer => ({
  kind: 'page',
  title: 'Not asked for',
  status: 409,
  content: html`<h1>Not asked for</h1>${message('danger', html`${words}`)}
<p>Go back, and look at the case again.</p>`,
});
