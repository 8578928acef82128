import type { z } from 'zod';
import { addPersonEntry } from '../../db/access/calls.ts';
import { findDeposit } from '../../db/ledger/deposits.ts';
import { paymentFacts } from '../../db/repairs/facts.ts';
import { findShownRepair } from '../../db/repairs/repair-lists.ts';
import { readNumberOf } from '../../db/support-search.ts';
import { actorOfPerson } from '../../domain/access.ts';
import { needToAsk } from '../../domain/staff.ts';
import { type Html, html } from '../../rendering/html.ts';
import { askRepair as ask } from '../../repairs/ask-repair.ts';
import { numberGivenBy, type RepairKind } from '../../repairs/repair-kind.ts';
import { findRepairKind } from '../../repairs/repair-kinds.ts';
import { workflowPage } from '../../runtime/process/temporal-ui.ts';
import { problems } from '../answers.ts';
import { ledgerHistory } from '../layout/labels.ts';
import { emptyState, facts, type Happening, message, onceKey, story } from '../layout/parts.ts';
import {
  idOf,
  type PageAnswer,
  readId,
  redirect,
  type StaffPage,
  type StaffRequest,
  SUPPORT_PATH,
  staffMay,
  support,
} from '../page.ts';
import { openCasePage, settledBefore } from './cases.ts';
import { refusedMoneyPage } from './company/company.ts';
import {
  labelOf,
  NO_REASON,
  nextChoices,
  offersOf,
  otherChoices,
  type RefusedForm,
  readWhy,
} from './repair-form.ts';
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

/** One customer's case: what happened, and what to do next. A form shows its number once. */
const pagesOfCase = (kind: CaseKind, path: string): readonly StaffPage[] => {
  const nameOf = (request: StaffRequest) => ({ kind, id: idOf(request) });
  return [
    support.page({ path, needs: 'look', handle: (request) => casePage(request, nameOf(request)) }),
    ...support.shown({
      path: `${path}/number`,
      needs: 'look',
      back: (request) => redirect(casePath(nameOf(request))),
      async handle(request) {
        const name = nameOf(request);
        const number = await openNumber(request, name);
        return number === undefined ? problems.notFound : casePage(request, name, { number });
      },
    }),
  ];
};

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
<details><summary>How the money moved</summary>${ledgerHistory(
      found.transfers,
      emptyState('No money moved', 'Nothing was put on hold or charged.'),
    )}</details></section>`,
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
  await services.database
    .transaction()
    .execute((transaction) =>
      addPersonEntry(
        transaction,
        session,
        'show number',
        { sourceAddress, ...reason },
        { kind, id },
      ),
    );
  return services.numbers.open(number);
}

/** Asks for a repair; a form that is sent twice is one. */
const askRepairForm = support.form({
  path: '/repairs/ask/:kind',
  needs: 'ask',
  confirmation: 'none',
  async handle(request) {
    const { services, session, form, params } = request;
    const kind = findRepairKind(params.kind ?? '');
    const requestKey = onceKey(request);
    if (!kind || requestKey === undefined) return problems.notFound;
    if (!staffMay(request, needToAsk(kind.subject))) return problems.notYourRole;
    const refused = (words: string) => refusedPage(request, kind, words);
    const given = namesOf(kind).map((name) => [name, form.text(name) || undefined]);
    const args = kind.fields.safeParse(Object.fromEntries(given));
    const why = readWhy(request);
    if (!args.success)
      return refused(args.error.issues.map((issue) => wordsOf(kind, issue)).join('; '));
    if (why === undefined) return refused(NO_REASON);
    const asked = await services.database.transaction().execute((transaction) =>
      ask(
        transaction,
        {
          kind,
          subjectId: form.text('subject').trim(),
          args: args.data,
          why,
          actor: actorOfPerson(session),
          requestKey,
          binding: form.text('binding'),
        },
        { ...services, secretBox: () => services.secretBox },
      ),
    );
    return asked.kind === 'refused' ? refused(asked.refusal) : redirect(repairPath(asked.row.id));
  },
});

/** Cases, and the repairs that their pages ask for. */
export const casePages: readonly StaffPage[] = [
  ...pagesOfCase('voucher', '/vouchers/:id'),
  ...pagesOfCase('top-up', '/top-ups/:id'),
  askRepairForm,
  // On the page of a repair, whose ticket is the reason; with the number that the repair was given.
  ...support.shown({
    path: '/repairs/:id/number',
    needs: 'look',
    back: (request) => redirect(repairPath(idOf(request))),
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
  }),
];

const wordsOf = (kind: RepairKind, { path, message: words }: z.core.$ZodIssue): string =>
  `“${labelOf(kind, String(path[0]))}” ${words}`;

const namesOf = ({ fields }: RepairKind): readonly string[] => Object.keys(fields.shape);

/** The case as it is now, with why nothing was done, and what was typed. */
async function refusedPage(
  request: StaffRequest,
  kind: RepairKind,
  words: string,
): Promise<PageAnswer> {
  const subjectId = request.form.text('subject').trim();
  const about = await caseOf(request, kind, subjectId);
  const refused = { kind: kind.name, subjectId, words };
  const partnerId = await partnerOf(request, kind, subjectId);
  const page =
    kind.subject === 'case'
      ? await openCasePage(request, readId(subjectId), refused)
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
  return subject === 'partner' ? readId(subjectId) : undefined;
}

async function caseOf(
  { services }: StaffRequest,
  { subject }: RepairKind,
  subjectId: string,
): Promise<SupportCaseName | undefined> {
  const id = readId(subjectId);
  if (id === 0) return undefined;
  if (subject === 'voucher' || subject === 'top-up') return { kind: subject, id };
  const facts = subject === 'redemption' && (await paymentFacts(services.database, id));
  return facts ? { kind: 'voucher', id: facts.voucherId } : undefined;
}
