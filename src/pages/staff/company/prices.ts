import type { FoundCompany } from '../../../db/catalogue/companies.ts';
import { type PastPrice, priceHistory } from '../../../db/catalogue/price-history.ts';
import { type ListedPrice, listPartnerPrices } from '../../../db/catalogue/prices.ts';
import type { Database } from '../../../db/connection.ts';
import { PORTAL_ACTOR } from '../../../domain/access.ts';
import { amountText } from '../../../domain/money.ts';
import { type Html, type HtmlValue, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { usd } from '../../layout/company-parts.ts';
import {
  asSent,
  badge,
  emptyState,
  money,
  postForm,
  table,
  textColumn,
  type WrongFields,
} from '../../layout/parts.ts';
import { priceFields, readPriceForm, setNamedPrice } from '../../layout/price-form.ts';
import {
  idOf,
  type PageAnswer,
  readId,
  redirect,
  type StaffRequest,
  staffMay,
} from '../../page.ts';
import { NO_REASON, readWhy, whyField } from '../repair-form.ts';
import { pricePath } from '../repair-parts.ts';
import { companyForms, companyPages, declarePart, partPage } from './company-pages.ts';

/** The vouchers that a partner may sell, each with its present prices. */
export const pricesPart = declarePart<ListedPrice>({
  path: '/prices',
  title: 'Prices',
  kinds: ['partner'],
  nothing: 'The partner may sell no voucher.',
  read: ({ services }, { id }, page) => listPartnerPrices(services.database, id, page),
  columns: (_request, { id }) => [
    textColumn(
      'Voucher',
      ({ denominationId, amount, status }) =>
        html`<a href="${pricePath(id, denominationId)}">${money(amount)}</a> ${status === 'INACTIVE' && badge('plain', 'Not sold now')}`,
      'head',
    ),
    textColumn(
      'Price',
      ({ sellingPriceUsd }) =>
        sellingPriceUsd === null ? badge('warning', 'Not set') : `USD ${usd(sellingPriceUsd)}`,
      'figure',
    ),
    textColumn('Merchant', (price) => price.sellingPriceUsd !== null && forWhom(price), 'plain'),
  ],
});

/** The merchant of a price, or that it is for those without their own. */
const forWhom = ({
  merchant,
  isByMerchant,
}: Pick<ListedPrice, 'merchant' | 'isByMerchant'>): string =>
  merchant ?? (isByMerchant ? 'All others' : 'Every merchant');

/** The denomination of the path; undefined where the partner may not sell it and has no price of it. */
async function priceOf(
  { services, params }: StaffRequest,
  { id }: FoundCompany,
  database: Database = services.database,
): Promise<ListedPrice | undefined> {
  const denominationId = readId(params.denomination);
  const prices = await listPartnerPrices(database, id);
  return prices.find((price) => price.denominationId === denominationId);
}

const SHOWN = 20;

async function pricePage(
  request: StaffRequest,
  company: FoundCompany,
  wrong?: WrongFields,
): Promise<PageAnswer> {
  const price = await priceOf(request, company);
  if (!price) return problems.notFound;
  const { amount, denominationId, status, isByMerchant } = price;
  const named = { partnerId: company.id, denominationId };
  const page = { limit: SHOWN, offset: 0 };
  const history = await priceHistory(request.services.database, named, page);
  return partPage(company, {
    title: `Price of the voucher of ETB ${amountText(amount)}`,
    status: wrong && 422,
    content: html`<section class="card">
${historyOf(history, isByMerchant)}
${status === 'ACTIVE' && setForm(request, { path: pricePath(company.id, denominationId), wrong })}</section>`,
  });
}

const historyOf = (history: readonly PastPrice[], isByMerchant: boolean): Html =>
  table(
    `The newest ${SHOWN} prices`,
    history,
    [
      textColumn(
        'Price',
        ({ sellingPriceUsd, until }) =>
          html`USD ${usd(sellingPriceUsd)} ${until === null && badge('success', 'In force')}`,
        'head',
      ),
      textColumn('Merchant', ({ merchant }) => forWhom({ merchant, isByMerchant }), 'plain'),
      textColumn('From', 'from'),
      textColumn('Until', 'until'),
      textColumn('Set by', setterOf),
      textColumn('Why', 'why'),
    ],
    emptyState('None', 'No price was set: the voucher cannot be sold.'),
  );

const setterOf = ({ actor, staffName }: PastPrice): HtmlValue =>
  actor === null ? 'The partner’s server' : (staffName ?? actor.replace(PORTAL_ACTOR, ''));

const setForm = (
  request: StaffRequest,
  { path, wrong }: { readonly path: string; readonly wrong: WrongFields | undefined },
): Html =>
  staffMay(request, 'operate')
    ? html`<div class="choices"><details${wrong && html` open`}><summary class="button secondary">Set a price</summary>
${postForm(
  request,
  path,
  html`${priceFields(request, { label: 'Price in USD', now: '', wrong })}
${whyField(asSent(request, wrong)('why'))}
<p class="actions"><button>Set the price</button></p>`,
)}</details></div>`
    : html`<p>The partner sets it at the portal. An operator sets it here.</p>`;

const pricePages = companyPages({
  path: '/prices/:denomination',
  kinds: ['partner'],
  handle: pricePage,
});

/** Reads a sent form of a price. */
async function readSetForm(request: StaffRequest) {
  const { params } = request;
  const named = { partnerId: idOf(request), denominationId: readId(params.denomination) };
  const read = await readPriceForm(request, named);
  const why = readWhy(request);
  if (!read.wrong && why !== undefined) return { value: { price: read.value, why } };
  return { wrong: { ...read.wrong, ...(why === undefined && { why: NO_REASON }) } };
}

const merchantsOf = (merchant: { readonly name: string } | undefined): string =>
  merchant?.name ?? 'all merchants without their own price';

/** Sets a selling price for a partner, as the command line and the partner itself do. */
const setPriceForms = companyForms({
  path: '/prices/:denomination',
  kinds: ['partner'],
  needs: 'operate',
  async find(request, company, database) {
    const listed = await priceOf(request, company, database);
    return listed?.status === 'ACTIVE' ? { listed, company } : undefined;
  },
  read: readSetForm,
  async confirmed({ listed: { amount }, company }, request) {
    const read = await readSetForm(request);
    if (read.wrong) return pricePage(request, company, read.wrong);
    const { merchant, sellingPriceUsd } = read.value.price;
    return html`You are about to set the price of the voucher of ${money(amount)} of ${company.name} to USD ${sellingPriceUsd}, for ${merchantsOf(merchant)}.`;
  },
  action: 'set selling-price',
  again: pricePage,
  work: (transaction, _request, { value: { price, why } }) =>
    setNamedPrice(transaction, price, { why }),
  done: ({ subject: { listed, company }, value: { price }, result: isChanged }) =>
    redirect(
      pricePath(company.id, listed.denominationId),
      isChanged
        ? `The price for ${merchantsOf(price.merchant)} is USD ${price.sellingPriceUsd} now.`
        : 'Nothing was changed: the price is so already.',
    ),
});

/** The pages of one price. */
export const pagesOfPrices = [...pricePages, ...setPriceForms];
