import { type ListedPrice, listPartnerPrices } from '../../db/catalogue/prices.ts';
import type { Database } from '../../db/connection.ts';
import { productList } from '../../db/lists/catalogue.ts';
import type { RowOf } from '../../db/lists/list.ts';
import { mayUse } from '../../domain/access.ts';
import { amountText, plainAmount } from '../../domain/money.ts';
import type { Operator } from '../../domain/phone.ts';
import { html, phrase } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import { usd } from '../layout/company-parts.ts';
import { badge, emptyState, money, table, textColumn } from '../layout/parts.ts';
import { priceFields, readPriceForm, setNamedPrice } from '../layout/price-form.ts';
import { type AccountRequest, idOf, PORTAL_PATH, portal, redirect } from '../page.ts';
import { changePages } from '../session/changes.ts';
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
      file: 'productName',
    },
    { title: 'Description', file: 'description' },
    {
      title: 'Operator',
      phone: 'plain',
      value: (row) => phrase(operatorOf(row)),
      file: operatorOf,
    },
    { title: 'Id', value: ({ id }) => html`<code>${id}</code>`, file: 'id' },
    { title: 'State', file: ({ status }) => (status === 'ACTIVE' ? 'Sold' : 'Not sold now') },
    listedAmount('amount', 'Costs you, ETB', 'Costs you (ETB)', 'figure etb'),
  ],
  nothingYet: 'Your contact at the service gives you access to packages.',
});

const PRICES_PATH = `${PORTAL_PATH}/prices`;

const ALL_OTHERS = 'All merchants without their own price';

const forWhom = ({ sellingPriceUsd, merchantId, merchant }: ListedPrice): string =>
  sellingPriceUsd === null ? '' : merchantId === null ? ALL_OTHERS : (merchant ?? '');

const pricesOf = ({ services, session }: AccountRequest, database: Database = services.database) =>
  listPartnerPrices(database, session.company.id);

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
        textColumn(
          'Voucher',
          (price) =>
            html`${money(price.amount)} ${price.status === 'INACTIVE' && badge('plain', 'Not sold now')}`,
          'head',
        ),
        textColumn(
          'Your price',
          ({ sellingPriceUsd }) =>
            sellingPriceUsd === null ? badge('warning', 'Not set') : `USD ${usd(sellingPriceUsd)}`,
          'figure',
        ),
        textColumn(
          'For',
          (price) => (price.merchantId === null ? phrase(forWhom(price)) : forWhom(price)),
          'plain',
        ),
        textColumn('Since', 'since', 'hidden'),
        ...(mayUse(role, 'operate') ? [textColumn('Change', changeLink, 'plain')] : []),
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
      Since: 'since',
    }),
});

const denominationOf = async (request: AccountRequest, database: Database) =>
  (await pricesOf(request, database)).find(
    ({ denominationId, status }) => denominationId === idOf(request) && status === 'ACTIVE',
  );

/** Asks for the selling price of a voucher, and sets it; the previous price stays as history. */
export const setPricePages = changePages(portal, {
  path: '/prices/:id',
  needs: 'operate',
  kind: 'partner',
  find: denominationOf,
  question({ amount, sellingPriceUsd, merchantId }, request, wrong) {
    const now = sellingPriceUsd === null || merchantId !== null ? '' : usd(sellingPriceUsd);
    return {
      title: 'Price of a voucher',
      heading: html`Price of the voucher of ${money(amount)}`,
      text: html`<p>The price holds for vouchers that are generated from now on. It costs you
${money(amount)} from the gift wallet each, whatever your price is.</p>`,
      fields: priceFields(request, { label: 'Your price in USD', now, wrong }),
      button: 'Set the price',
      back: PRICES_PATH,
    };
  },
  read: (request) =>
    readPriceForm(request, {
      partnerId: request.session.company.id,
      denominationId: idOf(request),
    }),
  action: 'set selling-price',
  work: (transaction, _request, { value }) => setNamedPrice(transaction, value),
  done({ subject, value: { merchant, sellingPriceUsd: price } }) {
    const amount = amountText(subject.amount);
    return redirect(
      PRICES_PATH,
      merchant
        ? sentence(
            'The price of the voucher of ETB {1} for {2} is USD {3} now.',
            ...[amount, merchant.name, price],
          )
        : sentence('The price of the voucher of ETB {1} is USD {2} now.', amount, price),
    );
  },
});
