import type { FoundCase } from '../../db/cases/find-cases.js';
import { actorOfPerson } from '../../domain/access/access-changes.js';
import { amount } from '../../portal/layout/money.js';
import {
  badge,
  emptyState,
  field,
  message,
  postForm,
  table,
  time,
} from '../../portal/layout/parts.js';
import { topupStates, voucherStates } from '../../portal/layout/states.js';
import type { PageAnswer } from '../../portal/page.js';
import { type Html, html } from '../../process/html.js';
import { casePath } from '../case-path.js';
import { type StaffPage, type StaffRequest, SUPPORT_PATH } from '../page.js';
import { type SearchResult, searchCases } from '../search.js';

const FIND_PATH = `${SUPPORT_PATH}/find`;

/** The first page: the one field of the search. */
export const askFind: StaffPage = {
  method: 'GET',
  path: '',
  access: 'staff',
  needs: 'look',
  handle: (request) => Promise.resolve(findPage(request)),
};

/** Answers with the case itself where the search finds one. By POST, so that no address has a number. */
export const find: StaffPage = {
  method: 'POST',
  path: '/find',
  changesNothing: true,
  access: 'staff',
  needs: 'look',
  async handle(request) {
    const { services, session, sourceAddress, form } = request;
    const text = form.text('what').slice(0, 200);
    const result = await searchCases(services, text, {
      actor: actorOfPerson(session),
      details: { sourceAddress },
    });
    const [only, ...others] = result.cases;
    return only && others.length === 0
      ? { kind: 'redirect', to: casePath(only.kind, only.id) }
      : findPage(request, { text, result });
  },
};

/** A search that was reloaded by its address begins again. */
export const findAgain: StaffPage = {
  method: 'GET',
  path: '/find',
  access: 'staff',
  needs: 'look',
  handle: () => Promise.resolve({ kind: 'redirect', to: SUPPORT_PATH }),
};

const HINT =
  'A phone number, a serial number, a voucher code, a transaction id, any reference of ours or of the ' +
  'payment and airtime providers, or the id of a workflow.';

function findPage(
  { formToken }: StaffRequest,
  searched?: { readonly text: string; readonly result: SearchResult },
): PageAnswer {
  return {
    kind: 'page',
    title: 'Find a case',
    content: html`<h1>Find a case</h1>
<section class="card">${postForm(
      { action: FIND_PATH, formToken },
      html`${field({
        name: 'what',
        label: 'What the customer gives you',
        hint: HINT,
        value: searched?.text ?? '',
      })}
<button>Find</button>`,
    )}</section>
${
  searched
    ? results(searched.result)
    : html`<p class="quiet">Each search is written to the audit log with your name; numbers only as a hash.</p>`
}`,
  };
}

function results({ cases, more, isUnknown }: SearchResult): Html {
  if (cases.length === 0)
    return emptyState(
      'Nothing found',
      isUnknown
        ? 'This is nothing that the service has. Check it with the customer: a serial number has 18 digits, a code 16 characters.'
        : 'Check it with the customer, digit by digit; or look for something else of the case, such as the number or the serial number.',
    );
  return html`<section class="card"><h2>Newest first</h2>
${table('Cases', cases, [
  {
    title: 'Case',
    phone: 'head',
    value: ({ kind, id, name }) =>
      html`<a href="${casePath(kind, id)}">${kind === 'voucher' ? 'Voucher' : 'Top-up'} ${name}</a>`,
  },
  { title: 'When', phone: 'plain', value: ({ at }) => time(at) },
  { title: 'State', phone: 'plain', value: stateOf },
  { title: 'Number', phone: 'plain', value: ({ maskedNumber }) => maskedNumber ?? 'Anonymous' },
  { title: 'Partner', phone: 'plain', value: ({ partner }) => partner },
  {
    title: 'ETB',
    phone: 'figure etb',
    align: 'right',
    value: (row) => (row.amount === null ? '–' : amount(row.amount)),
  },
])}
${more > 0 && message('notice', html`${more} more. Look for a serial number or a reference to find an older one.`)}</section>`;
}

const states: Readonly<Record<string, { tone: Parameters<typeof badge>[0]; word: string }>> = {
  ...voucherStates,
  ...topupStates,
};

function stateOf({ status }: FoundCase): Html {
  const { tone, word } = states[status] ?? { tone: 'plain' as const, word: status };
  return badge(tone, word);
}
