import { type FoundCompany, findCompany } from '../../../db/catalogue/companies.ts';
import { paymentsUnderway, topupsUnderway, type Underway } from '../../../db/overview.ts';
import { type Case, casesOfCompany } from '../../../db/positions/cases.ts';
import { maskMsisdn, parseMsisdn } from '../../../domain/phone.ts';
import type { Company } from '../../../domain/vouchers/voucher.ts';
import { type Html, type HtmlValue, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { badge, facts, message, money, time } from '../../layout/parts.ts';
import type { PageAnswer, StaffPage, StaffRequest } from '../../page.ts';
import { caseColumns } from '../cases.ts';
import type { RefusedForm } from '../repair-form.ts';
import { addressesPart, changesCard, keysPart, publicKeysPart } from './access.ts';
import { companyPages, declarePart } from './company-pages.ts';
import {
  balancesCards,
  companyStatementPages,
  depositsPart,
  salesCard,
  salesPages,
} from './money.ts';
import {
  invitationsPart,
  inviteAgainForms,
  peoplePart,
  personPages,
  signInForms,
} from './people.ts';
import { limitsCard, pricesPart, termsOfMerchant } from './terms.ts';
import { testCompanyWebhook, webhooksPart } from './webhooks.ts';

/** The open and the ended cases of a company. */
const casesPart = declarePart<Case>({
  path: '/cases',
  title: 'Cases',
  nothing: 'The providers and the books agree.',
  read: ({ services }, company, page) => casesOfCompany(services.database, company, page),
  columns: () => caseColumns,
});

const parts = [
  casesPart,
  depositsPart,
  peoplePart,
  invitationsPart,
  webhooksPart,
  keysPart,
  addressesPart,
  publicKeysPart,
  pricesPart,
] as const;

const statusWords = {
  ACTIVE: ['success', 'Active'],
  SUSPENDED: ['danger', 'Suspended'],
  DEACTIVATED: ['danger', 'Deactivated'],
} as const;

const showCompany = companyPages({
  path: '',
  handle: (request, company) => renderCompany(request, company),
});

/** The page of a company, where nothing came of a form about its wallets. */
export async function refusedCompanyPage(
  request: StaffRequest,
  company: Company,
  refused: RefusedForm,
): Promise<PageAnswer> {
  const found = await findCompany(request.services.database, company);
  return found ? renderCompany(request, found, refused) : problems.notFound;
}

async function renderCompany(
  request: StaffRequest,
  company: FoundCompany,
  refused?: RefusedForm,
): Promise<PageAnswer> {
  const { kind, name } = company;
  const isPartner = kind === 'partner';
  const [tone, word] = statusWords[company.status];
  const shown = parts.filter((part) => part.kinds.includes(kind));
  const cards: Html[] = [];
  for (const part of shown) cards.push(await part.card(request, company, refused));
  return {
    kind: 'page',
    title: name,
    status: refused && 409,
    content: html`<h1>${name} ${badge(tone, word)}</h1>
${refused && message('danger', refused.words)}
<section class="card">${facts(await factsOf(request, company))}</section>
${isPartner && (await balancesCards(request, company))}
<nav aria-label="On this page"><ul class="page-parts">
${shown.map(({ path, title }) => html`<li><a href="#${path.slice(1)}">${title}</a></li>`)}
<li><a href="#sales">By day</a></li><li><a href="#limits">Limits</a></li>
${!isPartner && html`<li><a href="#terms">Fee and account</a></li>`}<li><a href="#changes">Changes</a></li></ul></nav>
${cards}
${await salesCard(request, company)}
${!isPartner && (await termsOfMerchant(request, company))}
${await limitsCard(request, company)}
${await changesCard(request, company)}`,
  };
}

async function factsOf(
  { services: { database } }: StaffRequest,
  company: FoundCompany,
): Promise<Readonly<Record<string, HtmlValue>>> {
  const { kind, id, createdAt, contact } = company;
  const isPartner = kind === 'partner';
  return {
    [isPartner ? 'Partner' : 'Merchant']: id,
    ...(contact && {
      Identifier: contact.identifier,
      'E-mail': contact.email,
      Phone: maskMsisdn(parseMsisdn(contact.phone) ?? contact.phone),
      Address: contact.address,
    }),
    Since: time(createdAt),
    'Payments without an outcome': underway(await paymentsUnderway(database, company)),
    ...(isPartner && {
      'Top-ups without an outcome': underway(await topupsUnderway(database, id)),
    }),
  };
}

const underway = ({ count, amount }: Underway): HtmlValue =>
  count === 0 ? 'None' : html`${count} for ${money(amount)} on hold`;

/** Every page of a company. */
export const pagesOfCompanies: readonly StaffPage[] = [
  ...showCompany,
  ...parts.flatMap(({ pages }) => pages),
  ...companyStatementPages,
  ...salesPages,
  ...personPages,
  ...signInForms,
  ...inviteAgainForms,
  ...testCompanyWebhook,
];
