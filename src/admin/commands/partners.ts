import { listApiKeys, listSourceAddresses } from '../../db/access/company-access.js';
import { addPartner } from '../../db/catalogue/companies.js';
import { partnerBalances } from '../../db/ledger/ledger.js';
import { listPartners, listProducts } from '../../db/lists/operator-lists.js';
import { changeCommand, lookCommand } from '../command.js';
import { argument, id, required, text } from '../fields.js';
import { changeSubject, created, requireSubject, warnOfNamesakes } from '../record-names.js';
import { column, money, numbers, record, table } from '../tables.js';
import { addressTable } from './addresses.js';
import { apiKeyTable } from './api-keys.js';
import { productTable } from './lists/list-products.js';

const partnerId = argument(id, 'The id of the partner');

export const createPartner = changeCommand({
  name: 'create partner',
  summary: 'Add a partner, with its wallets',
  details:
    'Next steps: money (deposit), products (grant access), an address (register address) and an ' +
    'API key (issue api-key).',
  fields: { name: required(text, 'The name of the company') },
  examples: ['create partner --name "Acme Gifts"'],
  async change(transaction, { name }) {
    const change = created('partner', await addPartner(transaction, name), { name });
    return warnOfNamesakes(transaction, 'partner', change);
  },
});

export const changePartner = changeCommand({
  name: 'change partner',
  summary: 'Change the name of a partner',
  fields: { id: partnerId, name: required(text, 'The new name of the company') },
  examples: ['change partner 1 --name "Acme Gifts International"'],
  async change(transaction, input) {
    const values = { company_name: input.name };
    const change = await changeSubject(transaction, 'partner', input.id, values);
    return warnOfNamesakes(transaction, 'partner', change);
  },
});

export const suspendPartner = changeCommand({
  name: 'suspend partner',
  summary: 'Suspend a partner, and the redemption of its vouchers, at once',
  details:
    'Its calls are refused within two seconds. Its money, keys and vouchers do not change. The ' +
    'service completes payments and top-ups in progress.',
  fields: { id: partnerId },
  examples: ['suspend partner 1'],
  change: (transaction, input) =>
    changeSubject(transaction, 'partner', input.id, { status: 'SUSPENDED' }),
});

export const reinstatePartner = changeCommand({
  name: 'reinstate partner',
  summary: 'Reinstate a suspended partner',
  fields: { id: partnerId },
  examples: ['reinstate partner 1'],
  change: (transaction, input) =>
    changeSubject(transaction, 'partner', input.id, { status: 'ACTIVE' }),
});

export const listPartnersCommand = lookCommand({
  name: 'list partners',
  summary: 'Show all partners with their balances',
  fields: {},
  examples: ['list partners', 'list partners --json'],
  async look(database) {
    const partners = await listPartners(database);
    return {
      json: partners,
      text: table(partners, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('status', (row) => row.status),
        numbers('gift', (row) => money(row.gift)),
        numbers('airtime', (row) => money(row.airtime)),
        numbers('reserved', (row) => money(row.reserved)),
      ]),
    };
  },
});

export const showPartner = lookCommand({
  name: 'show partner',
  summary: 'Show one partner: balances, products, keys and addresses',
  fields: { id: partnerId },
  examples: ['show partner 1'],
  async look(database, input) {
    const { name, row } = await requireSubject(database, 'partner', input.id);
    const company = { kind: 'partner', id: input.id } as const;
    const status = String(row.status);
    const balances = await partnerBalances(database, input.id);
    const products = await listProducts(database, input.id);
    const apiKeys = await listApiKeys(database, company);
    const addresses = await listSourceAddresses(database, company);
    return {
      json: { id: input.id, name, status, balances, products, apiKeys, addresses },
      text: [
        record({
          Partner: input.id,
          Name: name,
          Status: status,
          'Gift wallet': `ETB ${money(balances.gift)}`,
          'Airtime wallet': `ETB ${money(balances.airtime)}`,
          'In unused gifts': `ETB ${money(balances.reserved)}`,
        }),
        `\nProducts it may sell\n${productTable(products)}`,
        `\nAPI keys\n${apiKeyTable(apiKeys)}`,
        `\nAddresses it may call from\n${addressTable(addresses)}`,
      ].join('\n'),
    };
  },
});
