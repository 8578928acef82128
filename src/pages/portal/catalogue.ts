import { type ListedPrice, listPartnerPrices } from '../../db/catalogue/prices.ts';
import { productList } from '../../db/lists/catalogue.ts';
import type { RowOf } from '../../db/lists/list.ts';
import { mayUse } from '../../domain/access.ts';
import { amountText, plainAmount } from '../../domain/money.ts';
import type { Operator } from '../../domain/phone.ts';
import { setSellingPrice } from '../../operations/prices.ts';
import { html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { sentence } from '../language/language.ts';
import { fileTime } from '../language/time-zone.ts';
import { usd } from '../layout/company-parts.ts';
import {
  badge,
  emptyState,
  money,
  questionPage,
  table,
  time,
  type WrongFields,
} from '../layout/parts.ts';
import { priceFields, readPriceForm } from '../layout/price-form.ts';
import {
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
  portal,
  redirect,
} from '../page.ts';
import { changeAccess } from '../session/confirmation.ts';
import { csvFile, listedAmount, listFilters, listPages } from './lists.ts';

/** The mobile operators as people name them. */
export const operatorNames: Readonly<Record<Operator, string>> = {
  ETHIO_TELECOM: 'Ethio telecom',
  SAFARICOM_ETHIOPIA: 'Safaricom Ethiopia',
};

const operatorOf = ({ operator }: RowOf<typeof productList>): string =>
  operator === null ? 'Any' : operatorNames[operator];

/** The packages that a partner may send, with what they cost it. */
export const packagePages = listPages({
  path: '/packages',
  kind: 'partner',
  title: 'Packages',
  intro: html`<p>The packages that you may send, and what each costs you from the airtime wallet. Airtime costs its
amount. What your customers pay is up to you: your server says it with each top-up.</p>`,
  list: productList,
  filters: {
    operator: listFilters.oneOf('Operator', 'metadata.operator', Object.entries(operatorNames)),
  },
  fields: [
    {
      title: 'Package',
      phone: 'head',
      value: ({ productName, description, status }) =>
        html`<strong>${productName}</strong> ${status === 'INACTIVE' && badge('plain', 'Not sold now')}${
          description && html`<br><span class="quiet">${description}</span>`
        }`,
      file: ({ productName }) => productName,
    },
    { title: 'Description', file: ({ description }) => description },
    {
      title: 'Operator',
      phone: 'plain',
      value: (row) => phrase(operatorOf(row)),
      file: operatorOf,
    },
    { title: 'Id', value: ({ id }) => html`<code>${id}</code>`, file: ({ id }) => String(id) },
    { title: 'State', file: ({ status }) => (status === 'ACTIVE' ? 'Sold' : 'Not sold now') },
    listedAmount('amount', 'Costs you, ETB', 'Costs you (ETB)', 'figure etb'),
  ],
  nothingYet: 'Your contact at the service gives you access to packages.',
});

const PRICES_PATH = `${PORTAL_PATH}/prices`;

const ALL_OTHERS = 'All merchants without their own price';

const forWhom = ({ sellingPriceUsd, merchantId, merchant }: ListedPrice): string =>
  sellingPriceUsd === null ? '' : merchantId === null ? ALL_OTHERS : (merchant ?? '');

const pricesOf = ({ services, session }: AccountRequest) =>
  listPartnerPrices(services.database, session.company.id);

/** The vouchers that a partner may sell, what they cost it, and its own prices. */
export const showPrices = portal.page({
  path: '/prices',
  title: 'Prices of vouchers',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const prices = await pricesOf(request);
    const { role } = request.session;
    return html`<h1>Prices of vouchers</h1>
<p>A voucher costs you its value, from the gift wallet. Your selling price is what your customers pay, in USD; a
voucher without one cannot be generated.</p>
<section class="card">${table(
      'Prices of vouchers',
      prices,
      [
        {
          title: 'Voucher',
          phone: 'head',
          value: (price) =>
            html`${money(price.amount)} ${price.status === 'INACTIVE' && badge('plain', 'Not sold now')}`,
        },
        {
          title: 'Your price',
          phone: 'figure',
          value: ({ sellingPriceUsd }) =>
            sellingPriceUsd === null ? badge('warning', 'Not set') : `USD ${usd(sellingPriceUsd)}`,
        },
        {
          title: 'For',
          phone: 'plain',
          value: (price) => (price.merchantId === null ? phrase(forWhom(price)) : forWhom(price)),
        },
        { title: 'Since', phone: 'hidden', value: ({ since }) => since && time(since) },
        ...(mayUse(role, 'operate')
          ? [{ title: 'Change', phone: 'plain', value: changeLink } as const]
          : []),
      ],
      emptyState('None yet', 'Your contact at the service gives you access to vouchers.'),
    )}
${mayUse(role, 'export') && prices.length > 0 && html`<p><a href="${PRICES_PATH}/download">Download as CSV</a></p>`}
</section>`;
  },
});

const changeLink = ({ denominationId, status, amount }: ListedPrice) =>
  status === 'ACTIVE' &&
  html`<a href="${PRICES_PATH}/${denominationId}">Set<span class="visually-hidden"> the price of the
voucher of ${amountText(amount)}</span></a>`;

/** The prices as a file. */
export const downloadPrices = portal.page({
  path: '/prices/download',
  needs: 'export',
  kind: 'partner',
  handle: async (request) =>
    csvFile('prices', await pricesOf(request), {
      'Voucher (ETB)': (price) => plainAmount(price.amount),
      'Your price (USD)': ({ sellingPriceUsd }) => sellingPriceUsd && usd(sellingPriceUsd),
      For: forWhom,
      Since: ({ since }) => since && fileTime(since),
    }),
});

const denominationOf = async (request: AccountRequest) =>
  (await pricesOf(request)).find(
    ({ denominationId, status }) => denominationId === idOf(request) && status === 'ACTIVE',
  );

async function pricePage(request: AccountRequest, wrong?: WrongFields): Promise<PageAnswer> {
  const found = await denominationOf(request);
  if (!found) return problems.notFound;
  const { sellingPriceUsd, merchantId } = found;
  const now = sellingPriceUsd === null || merchantId !== null ? '' : usd(sellingPriceUsd);
  return questionPage(request, {
    title: 'Price of a voucher',
    status: wrong && 422,
    heading: html`Price of the voucher of ${money(found.amount)}`,
    text: html`<p>The price holds for vouchers that are generated from now on. It costs you
${money(found.amount)} from the gift wallet each, whatever your price is.</p>`,
    fields: priceFields(request, { label: 'Your price in USD', now, wrong }),
    button: 'Set the price',
    back: PRICES_PATH,
  });
}

/** Asks for the selling price of a voucher, and sets it; the previous price stays as history. */
export const setPricePages = portal.asked({
  path: '/prices/:id',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  ask: pricePage,
  async handle(request) {
    const found = await denominationOf(request);
    if (!found) return problems.notFound;
    const { denominationId } = found;
    const named = { partnerId: request.session.company.id, denominationId };
    const read = await readPriceForm(request.services.database, request.form, named);
    if (!read.ok) return pricePage(request, read.wrong);
    const { price, merchant } = read;
    await changeAccess(request, 'set selling-price', async (transaction) => {
      const wanted = { ...named, merchantId: merchant?.id ?? null, sellingPriceUsd: price };
      const set = await setSellingPrice(transaction, wanted);
      return set.ok && set.details ? { result: true, details: set.details } : undefined;
    });
    const amount = amountText(found.amount);
    const notice = merchant
      ? sentence(
          'The price of the voucher of ETB {1} for {2} is USD {3} now.',
          ...[amount, merchant.name, price],
        )
      : sentence('The price of the voucher of ETB {1} is USD {2} now.', amount, price);
    return redirect(PRICES_PATH, notice);
  },
});
