import { type ProductRow, productSource } from '../../../db/lists/list-sources.ts';
import { html, phrase } from '../../../rendering/html.ts';
import { listFilters } from '../../layout/list-parameters.ts';
import { type ListView, listDownload, listPage } from '../../layout/list-view.ts';
import { amount, plainAmount } from '../../layout/money.ts';
import { badge } from '../../layout/parts.ts';

const operators: Readonly<Record<string, string>> = {
  ETHIO_TELECOM: 'Ethio telecom',
  SAFARICOM_ETHIOPIA: 'Safaricom Ethiopia',
};

const operatorOf = ({ operator }: ProductRow): string =>
  operator === null ? 'Any' : (operators[operator] ?? operator);

const view = {
  path: '/packages',
  kind: 'partner',
  title: 'Packages',
  intro: html`<p>The packages that you may send, and what each costs you from the airtime wallet. Airtime costs its
amount. What your customers pay is up to you: your server says it with each top-up.</p>`,
  source: productSource,
  filters: {
    operator: listFilters.oneOf('Operator', 'metadata.operator', [
      ['ETHIO_TELECOM', 'Ethio telecom'],
      ['SAFARICOM_ETHIOPIA', 'Safaricom Ethiopia'],
    ]),
  },
  columns: [
    {
      title: 'Package',
      phone: 'head',
      value: ({ productName, description, status }) =>
        html`<strong>${productName}</strong> ${status === 'INACTIVE' && badge('plain', 'Not sold now')}${
          description && html`<br><span class="quiet">${description}</span>`
        }`,
    },
    { title: 'Operator', phone: 'plain', value: (row) => phrase(operatorOf(row)) },
    { title: 'Id', value: ({ id }) => html`<code>${id}</code>` },
    {
      title: 'Costs you, ETB',
      phone: 'figure etb',
      value: ({ amount: cost }) => amount(cost),
      align: 'right',
    },
  ],
  nothingYet: 'Your contact at the service gives you access to packages.',
  download: {
    Package: ({ productName }) => productName,
    Description: ({ description }) => description,
    Operator: operatorOf,
    Id: ({ id }) => String(id),
    State: ({ status }) => (status === 'ACTIVE' ? 'Sold' : 'Not sold now'),
    'Costs you (ETB)': ({ amount: cost }) => plainAmount(cost),
  },
} satisfies ListView<ProductRow>;

/** The packages that a partner may send, with what they cost it. */
export const showPackages = listPage<ProductRow>(view);

/** The packages as a file. */
export const downloadPackages = listDownload<ProductRow>(view);
