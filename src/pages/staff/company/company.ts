import { type FoundCompany, findCompany } from '../../../db/catalogue/companies.ts';
import { partnerBalances } from '../../../db/ledger/ledger.ts';
import { paymentsUnderway, topupsUnderway, type Underway } from '../../../db/overview.ts';
import { type Case, casesOfCompany } from '../../../db/positions/cases.ts';
import { listWebhooks } from '../../../db/webhooks/endpoints.ts';
import { maskMsisdn, parseMsisdn } from '../../../domain/phone.ts';
import { type Html, type HtmlValue, html } from '../../../rendering/html.ts';
import { creditGoodwillRepair } from '../../../repairs/wallet-repairs.ts';
import { problems } from '../../answers.ts';
import { isLow, walletLabels } from '../../layout/company-parts.ts';
import { badge, facts, money, time } from '../../layout/parts.ts';
import type { PageAnswer, StaffPage, StaffRequest } from '../../page.ts';
import { caseColumns } from '../cases.ts';
import { waitingOf } from '../desk.ts';
import type { RefusedForm } from '../repair-form.ts';
import { companyBadge, companyPath } from '../repair-parts.ts';
import { addressesPart, changesPages, keysPart, publicKeysPart } from './access.ts';
import { companyPages, declarePart } from './company-pages.ts';
import { depositPage, moneyPart, pagesOfMoney, salesPages, salesTitle } from './money.ts';
import {
  invitationsPart,
  inviteAgainForms,
  peoplePart,
  personPages,
  signInForms,
} from './people.ts';
import { pagesOfPrices, pricesPart } from './prices.ts';
import { limitsPages, termsPages } from './terms.ts';
import { webhookForms, webhooksPart } from './webhooks.ts';

/** The open and the ended cases of a company. */
const casesPart = declarePart<Case>({
  path: '/cases',
  title: 'Cases',
  nothing: 'There is no case of the company.',
  read: ({ services }, company, page) => casesOfCompany(services.database, company, page),
  columns: () => caseColumns,
});

const parts = [
  moneyPart,
  casesPart,
  pricesPart,
  peoplePart,
  invitationsPart,
  webhooksPart,
  keysPart,
  addressesPart,
  publicKeysPart,
] as const;

/** The page of a company: its figures, its rows of the queue, and a link to each subject. */
const showCompany = companyPages({
  path: '',
  async handle(request, company) {
    const { kind, name } = company;
    const path = companyPath(company);
    const figures = {
      ...(await figuresOf(request, company)),
      ...(await pausedWebhooks(request, company)),
    };
    const links = [
      ...parts.filter(({ kinds }) => kinds.includes(kind)),
      { path: '/sales', title: salesTitle(company) },
      ...(kind === 'merchant' ? [{ path: '/terms', title: 'Fee and payout account' }] : []),
      { path: '/limits', title: 'Limits' },
      { path: '/changes', title: 'Changes and sign-ins' },
    ];
    return {
      kind: 'page',
      title: name,
      content: html`<h1>${name} ${companyBadge(company)}</h1>
${Object.keys(figures).length > 0 && html`<section class="card">${facts(figures)}</section>`}
<nav class="card" aria-label="About ${name}"><ul class="page-parts">
${links.map((one) => html`<li><a href="${path}${one.path}">${one.title}</a></li>`)}</ul></nav>
${await waitingOf(request, company)}
<details class="card"><summary>Identity</summary>${facts(identityOf(company))}</details>`,
    };
  },
});

type Facts = Readonly<Record<string, HtmlValue>>;

async function figuresOf(
  { services: { database } }: StaffRequest,
  company: FoundCompany,
): Promise<Facts> {
  const payments = await paymentsUnderway(database, company);
  if (company.kind === 'merchant') return underway('Payments on hold', payments);
  const { id } = company;
  const { low: lows, ...balances } = await partnerBalances(database, id);
  const shown = (wallet: keyof typeof balances, low: string | null = null): Html =>
    html`${money(balances[wallet])} ${isLow(balances[wallet], low) && badge('danger', 'Low')}
<a href="${companyPath(company)}/balances/${wallet}">Statement<span class="visually-hidden">
of the ${walletLabels[wallet].name.toLowerCase()}</span></a>`;
  return {
    [walletLabels.gift.name]: shown('gift', lows.gift),
    [walletLabels.airtime.name]: shown('airtime', lows.airtime),
    [walletLabels.reserved.name]: shown('reserved'),
    ...underway('Payments on hold', payments),
    ...underway('Top-ups on hold', await topupsUnderway(database, id)),
  };
}

/** The webhooks that get no events until somebody resumes them; the queue has those that were switched off. */
async function pausedWebhooks(
  { services: { database } }: StaffRequest,
  company: FoundCompany,
): Promise<Facts> {
  const paused = (await listWebhooks(database, company)).filter(
    ({ status }) => status === 'DISABLED',
  );
  return paused.length === 0
    ? {}
    : { 'Paused webhooks': html`<a href="${companyPath(company)}/webhooks">${paused.length}</a>` };
}

const underway = (title: string, { count, amount }: Underway): Facts =>
  count === 0 ? {} : { [title]: html`${count}, together ${money(amount)}` };

const identityOf = ({ kind, id, createdAt, contact }: FoundCompany): Facts => ({
  [kind === 'partner' ? 'Partner' : 'Merchant']: id,
  ...(contact && {
    Identifier: contact.identifier,
    'E-mail': contact.email,
    Phone: maskMsisdn(parseMsisdn(contact.phone) ?? contact.phone),
    Address: contact.address,
  }),
  Since: time(createdAt),
});

/** The page of a deposit or of a partner's money, where nothing came of a form of its repairs. */
export async function refusedMoneyPage(
  request: StaffRequest,
  partnerId: number,
  refused: RefusedForm,
): Promise<PageAnswer> {
  const company = await findCompany(request.services.database, { kind: 'partner', id: partnerId });
  if (!company) return problems.notFound;
  return refused.kind === creditGoodwillRepair.name
    ? moneyPart.show(request, company, refused)
    : depositPage(request, company, { reference: refused.subjectId, refused });
}

/** Every page of a company. */
export const pagesOfCompanies: readonly StaffPage[] = [
  ...showCompany,
  ...parts.flatMap(({ pages }) => pages),
  ...pagesOfMoney,
  ...pagesOfPrices,
  ...salesPages,
  ...termsPages,
  ...limitsPages,
  ...changesPages,
  ...personPages,
  ...signInForms,
  ...inviteAgainForms,
  ...webhookForms,
];
