import { listPartnerPrices } from '../../../db/catalogue/prices.ts';
import { mayUse } from '../../../domain/access/portal-role.ts';
import { csv } from '../../../rendering/csv.ts';
import { html, phrase } from '../../../rendering/html.ts';
import { amount, money, plainAmount } from '../../layout/money.ts';
import { badge, emptyState, table, time } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../../page.ts';
import { fileTime } from '../../time-zone.ts';

export const PRICES_PATH = `${PORTAL_PATH}/prices`;

type Price = Awaited<ReturnType<typeof listPartnerPrices>>[number];

/** USD without the zeros that nobody writes. */
export const usd = (decimal: string): string => decimal.replace(/0{1,4}$/, '');

const ALL_OTHERS = 'All merchants without their own price';

const forWhom = ({ sellingPriceUsd, merchantId, merchant }: Price): string =>
  sellingPriceUsd === null ? '' : merchantId === null ? ALL_OTHERS : (merchant ?? '');

const pricesOf = ({ services, session }: AccountRequest) =>
  listPartnerPrices(services.database, session.company.id);

/** The vouchers that a partner may sell, what they cost it, and its own prices. */
export const showPrices: AccountPage = {
  method: 'GET',
  path: '/prices',
  access: 'account',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const prices = await pricesOf(request);
    const { role } = request.session;
    return {
      kind: 'page',
      title: 'Prices of vouchers',
      content: html`<h1>Prices of vouchers</h1>
<p>A voucher costs you its value, from the gift wallet. Your selling price is what your customers pay, in USD; a
voucher without one cannot be generated.</p>
<section class="card">${
        prices.length === 0
          ? emptyState('None yet', 'Your contact at the service gives you access to vouchers.')
          : table('Prices of vouchers', prices, [
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
                  sellingPriceUsd === null
                    ? badge('warning', 'Not set')
                    : `USD ${usd(sellingPriceUsd)}`,
              },
              {
                title: 'For',
                phone: 'plain',
                value: (price) =>
                  price.merchantId === null ? phrase(forWhom(price)) : forWhom(price),
              },
              { title: 'Since', phone: 'hidden', value: ({ since }) => since && time(since) },
              ...(mayUse(role, 'operate')
                ? [{ title: 'Change', phone: 'plain', value: changeLink } as const]
                : []),
            ])
      }
${mayUse(role, 'export') && prices.length > 0 && html`<p><a href="${PRICES_PATH}/download">Download as CSV</a></p>`}
</section>`,
    };
  },
};

const changeLink = ({ denominationId, status, ...price }: Price) =>
  status === 'ACTIVE' &&
  price.merchantId === null &&
  html`<a href="${PRICES_PATH}/${denominationId}">Set<span class="visually-hidden"> the price of the
voucher of ${amount(price.amount)}</span></a>`;

/** The prices as a file. */
export const downloadPrices: AccountPage = {
  method: 'GET',
  path: '/prices/download',
  access: 'account',
  needs: 'export',
  kind: 'partner',
  async handle(request) {
    const prices = await pricesOf(request);
    return {
      kind: 'file',
      name: 'prices.csv',
      type: 'text/csv',
      content: csv([
        ['Voucher (ETB)', 'Your price (USD)', 'For', 'Since'],
        ...prices.map((price) => [
          plainAmount(price.amount),
          price.sellingPriceUsd && usd(price.sellingPriceUsd),
          forWhom(price),
          price.since && fileTime(price.since),
        ]),
      ]),
    };
  },
};
