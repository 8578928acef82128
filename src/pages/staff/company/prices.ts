import type { FoundCompany } from '../../../db/catalogue/companies.ts';
import { type PastPrice, priceHistory } from '../../../db/catalogue/price-history.ts';
import { type ListedPrice, listPartnerPrices } from '../../../db/catalogue/prices.ts';
import { PORTAL_ACTOR } from '../../../domain/access.ts';
import { amountText } from '../../../domain/money.ts';
import { setSellingPrice } from '../../../operations/prices.ts';
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
  time,
  type WrongFields,
} from '../../layout/parts.ts';
import { priceFields, readPriceForm } from '../../layout/price-form.ts';
import { type PageAnswer, readId, redirect, type StaffRequest, staffMay } from '../../page.ts';
import { changeAccess } from '../../session/confirmation.ts';
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
    {
      title: 'Voucher',
      phone: 'head',
      value: ({ denominationId, amount, status }) =>
        html`<a href="${pricePath(id, denominationId)}">${money(amount)}</a> ${status === 'INACTIVE' && badge('plain', 'Not sold now')}`,
    },
    {
      title: 'Price',
      phone: 'figure',
      value: ({ sellingPriceUsd }) =>
        sellingPriceUsd === null ? badge('warning', 'Not set') : `USD ${usd(sellingPriceUsd)}`,
    },
    {
      title: 'Merchant',
      phone: 'plain',
      value: (price) => price.sellingPriceUsd !== null && forWhom(price),
    },
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
): Promise<ListedPrice | undefined> {
  const denominationId = readId(params.denomination);
  const prices = await listPartnerPrices(services.database, id);
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
      {
        title: 'Price',
        phone: 'head',
        value: ({ sellingPriceUsd, until }) =>
          html`USD ${usd(sellingPriceUsd)} ${until === null && badge('success', 'In force')}`,
      },
      {
        title: 'Merchant',
        phone: 'plain',
        value: ({ merchant }) => forWhom({ merchant, isByMerchant }),
      },
      { title: 'From', value: ({ from }) => time(from) },
      { title: 'Until', value: ({ until }) => until && time(until) },
      { title: 'Set by', value: setterOf },
      { title: 'Why', value: ({ why }) => why },
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

/** Reads a sent form of a price, or answers its page with the problems. */
async function readSetForm(
  request: StaffRequest,
  company: FoundCompany,
  { denominationId }: ListedPrice,
) {
  const { services, form } = request;
  const named = { partnerId: company.id, denominationId };
  const read = await readPriceForm(services.database, form, named);
  const why = readWhy(request);
  if (read.ok && why !== undefined) return { ...read, why };
  const wrong = {
    ...(!read.ok && read.wrong),
    ...(why === undefined && { why: NO_REASON }),
  };
  return { ok: false, page: await pricePage(request, company, wrong) } as const;
}

const merchantsOf = ({
  merchant,
}: {
  readonly merchant: { readonly name: string } | null;
}): string => merchant?.name ?? 'all merchants without their own price';

/** Sets a selling price for a partner, as the command line and the partner itself do. */
const setPriceForms = companyForms({
  path: '/prices/:denomination',
  kinds: ['partner'],
  needs: 'operate',
  async confirmed(request, company) {
    const price = await priceOf(request, company);
    if (!price) return undefined;
    const read = await readSetForm(request, company, price);
    if (!read.ok) return read.page;
    return html`You are about to set the price of the voucher of ${money(price.amount)} of ${company.name} to USD ${read.price}, for ${merchantsOf(read)}.`;
  },
  async handle(request, company) {
    const price = await priceOf(request, company);
    if (price?.status !== 'ACTIVE') return problems.notFound;
    const { denominationId } = price;
    const read = await readSetForm(request, company, price);
    if (!read.ok) return read.page;
    const { merchant, why } = read;
    const isChanged = await changeAccess(
      request,
      'set selling-price',
      async (transaction) => {
        const wanted = {
          partnerId: company.id,
          denominationId,
          merchantId: merchant?.id ?? null,
          sellingPriceUsd: read.price,
        };
        const set = await setSellingPrice(transaction, wanted);
        return set.ok && set.details
          ? { result: true, details: { ...set.details, why } }
          : undefined;
      },
      company,
    );
    return redirect(
      pricePath(company.id, denominationId),
      isChanged === undefined
        ? 'Nothing was changed: the price is so already.'
        : `The price for ${merchantsOf(read)} is USD ${read.price} now.`,
    );
  },
});

/** The pages of one price. */
export const pagesOfPrices = [...pricePages, ...setPriceForms];
