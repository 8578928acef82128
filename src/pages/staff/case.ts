import type { z } from 'zod';
import { addAuditEntry } from '../../db/access/calls.ts';
import { findDeposit } from '../../db/ledger/deposits.ts';
import { paymentFacts } from '../../db/repairs/facts.ts';
import { findShownRepair } from '../../db/repairs/repair-lists.ts';
import { readNumberOf } from '../../db/support-search.ts';
import { actorOfPerson } from '../../domain/access.ts';
import { mayAsStaff, needOfRepair } from '../../domain/staff.ts';
import { type Html, html } from '../../rendering/html.ts';
import { askRepair as ask } from '../../repairs/ask-repair.ts';
import { numberGivenBy, type RepairKind } from '../../repairs/repair-kind.ts';
import { findRepairKind } from '../../repairs/repair-kinds.ts';
import { workflowPage } from '../../runtime/process/temporal-ui.ts';
import { problems } from '../answers.ts';
import { ledgerHistory } from '../layout/labels.ts';
import { emptyState, facts, type Happening, message, story } from '../layout/parts.ts';
import {
  idOf,
  type PageAnswer,
  readNameField,
  type StaffPage,
  type StaffRequest,
  SUPPORT_PATH,
  support,
} from '../page.ts';
import { openCasePage, settledBefore } from './cases.ts';
import { refusedMoneyPage } from './company/company.ts';
import { labelOf, nextChoices, offersOf, otherChoices, type RefusedForm } from './repair-form.ts';
import {
  CASES_PATH,
  type CaseKind,
  caseOfRepair,
  casePath,
  repairPath,
  type SupportCaseName,
} from './repair-parts.ts';
import { repairPage } from './repairs.ts';
import { briefWithNumber, readCase, type SupportCase, shownNumber } from './support-case.ts';

const showCase = (kind: CaseKind, path: string): StaffPage =>
  support.page({
    path,
    needs: 'look',
    handle: (request) => casePage(request, { kind, id: idOf(request) }),
  });

/** One customer's case about a voucher: what happened, and what to do next. */
export const showVoucherCase = showCase('voucher', '/vouchers/:id');

/** One customer's case about a top-up. */
export const showTopupCase = showCase('top-up', '/top-ups/:id');

/**
 * The page of a case. An agent decides by its first part alone: everything else is folded. `number` is
 * shown where the person has asked for it, and `refused` where nothing came of a form.
 */
async function casePage(
  request: StaffRequest,
  name: SupportCaseName,
  { number, refused }: { readonly number?: string; readonly refused?: RefusedForm } = {},
): Promise<PageAnswer> {
  const found = await readCase(request.services.database, name);
  if (!found) return problems.notFound;
  const offers = await offersOf(request, found);
  const choices = { offers, next: found.next, refused };
  const { kind } = found;
  const what = kind === 'voucher' ? 'Voucher' : 'Top-up';
  return {
    kind: 'page',
    title: `${what} ${found.name}`,
    status: refused && 409,
    content: html`<h1>${what} <code>${found.name}</code> ${found.state}</h1>
${briefWithNumber(request, found, number === undefined ? casePath(found) : undefined)}
${number !== undefined && shownNumber({ number })}
${nextChoices(request, choices)}
<section class="card">${settledBefore(found.closedCases)}${otherChoices(request, choices)}
<details><summary>What happened</summary>${storyOf(request, found)}</details>
<details><summary>The ${kind}</summary>${facts(found.facts)}</details>
<details><summary>How the money moved</summary>${
      found.transfers.length === 0
        ? emptyState('No money moved', 'Nothing was put on hold or charged.')
        : ledgerHistory(found.transfers)
    }</details></section>`,
  };
}

function storyOf({ services }: StaffRequest, { happenings }: SupportCase): Html {
  const linkOf = ({ workflowId }: Happening) => {
    const page = workflowId && workflowPage(services.settings.temporal, workflowId);
    return (
      page && html` <a class="quiet" href="${page}" target="_blank" rel="noreferrer">Workflow</a>`
    );
  };
  return story(happenings, linkOf);
}

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
const showNumber = (kind: CaseKind, path: string): StaffPage =>
  support.form({
    path,
    changesNothing: true,
    needs: 'look',
    confirmation: 'none',
    async handle(request) {
      const about = { kind, id: idOf(request) };
      const number = await openNumber(request, about);
      return number === undefined ? problems.notFound : casePage(request, about, { number });
    },
  });

export const showVoucherNumber = showNumber('voucher', '/vouchers/:id/number');

export const showTopupNumber = showNumber('top-up', '/top-ups/:id/number');

/**
 * Shows the number on the page of a repair, whose ticket is the reason; with the number that the
 * repair was given.
 */
export const showRepairNumberForm = support.form({
  path: '/repairs/:id/number',
  changesNothing: true,
  needs: 'look',
  confirmation: 'none',
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
});

/** The address of a number that was shown leads back to its page. */
const backFromNumber = (path: string, pathOf: (id: number) => string): StaffPage =>
  support.page({
    path,
    needs: 'look',
    handle: (request) => ({ kind: 'redirect', to: pathOf(idOf(request)) }),
  });

export const backToVoucherCase = backFromNumber('/vouchers/:id/number', (id) =>
  casePath({ kind: 'voucher', id }),
);

export const backToTopupCase = backFromNumber('/top-ups/:id/number', (id) =>
  casePath({ kind: 'top-up', id }),
);

export const backToRepair = backFromNumber('/repairs/:id/number', repairPath);

/** Asks for a repair; a form that is sent twice is one. */
export const askRepairForm = support.form({
  path: '/repairs/ask/:kind',
  needs: 'ask',
  confirmation: 'none',
  async handle(request) {
    const { services, session, form, params } = request;
    const kind = findRepairKind(params.kind ?? '');
    const once = form.text('once');
    if (!kind || !/^[\w-]{43}$/.test(once)) return problems.notFound;
    if (!mayAsStaff(session.staff.role, needOfRepair(kind.subject))) return problems.notYourRole;
    const refused = (words: string) => refusedPage(request, kind, words);
    const given = namesOf(kind).map((name) => [name, form.text(name) || undefined]);
    const args = kind.fields.safeParse(Object.fromEntries(given));
    const why = readNameField(form.text('why'), 200);
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
        { ...services, secretBox: () => services.secretBox },
      ),
    );
    return asked.kind === 'refused'
      ? refused(asked.refusal)
      : { kind: 'redirect', to: repairPath(asked.row.id) };
  },
});

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
  const partnerId = await partnerOf(request, kind, subjectId);
  const page =
    kind.subject === 'case'
      ? await openCasePage(request, Number(subjectId), refused)
      : partnerId === undefined
        ? about && (await casePage(request, about, { refused }))
        : await refusedMoneyPage(request, partnerId, refused);
  const shown = page?.kind === 'page' ? page : refusedWithoutSubject(words);
  return { ...shown, shownAt: kind.subject === 'case' ? CASES_PATH : SUPPORT_PATH };
}

/** An unknown subject has no page. */
const refusedWithoutSubject = (words: string) => ({
  kind: 'page' as const,
  title: 'Not asked for',
  status: 409,
  content: html`<h1>Not asked for</h1>${message('danger', html`${words}`)}
<p class="actions"><a class="button secondary" href="${SUPPORT_PATH}">To the desk</a></p>`,
});

/** The partner of the wallet that a repair is about; undefined for repairs of cases. */
async function partnerOf(
  { services }: StaffRequest,
  { subject }: RepairKind,
  subjectId: string,
): Promise<number | undefined> {
  if (subject === 'deposit') return (await findDeposit(services.database, subjectId))?.partnerId;
  return subject === 'partner' && /^[0-9]{1,15}$/.test(subjectId) ? Number(subjectId) : undefined;
}

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
