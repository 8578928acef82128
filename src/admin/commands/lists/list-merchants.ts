import {
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../../db/access/company-access.ts';
import { listAllMerchants } from '../../../db/lists/operator-lists.ts';
import { lookCommand } from '../../command.ts';
import { argument, id } from '../../fields.ts';
import { requireSubject } from '../../record-names.ts';
import { column, numbers, record, table } from '../../tables.ts';
import { addressTable } from '../access/addresses.ts';
import { apiKeyTable } from '../access/api-keys.ts';
import { publicKeyTable } from '../access/public-keys.ts';

export const listMerchantsCommand = lookCommand({
  name: 'list merchants',
  fields: {},
  examples: ['list merchants'],
  async look(database) {
    const merchants = await listAllMerchants(database);
    return {
      json: merchants,
      text: table(merchants, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('identifier', (row) => row.identifier),
        column('category', (row) => row.category),
        column('status', (row) => row.status),
        numbers('fee %', (row) => row.serviceFeePercent && String(Number(row.serviceFeePercent))),
        column('paid to', (row) => row.payoutKey),
      ]),
    };
  },
});

export const showMerchant = lookCommand({
  name: 'show merchant',
  fields: { id: argument(id, 'The id of the merchant') },
  examples: ['show merchant 3'],
  async look(database, input) {
    await requireSubject(database, 'merchant', input.id);
    const company = { kind: 'merchant', id: input.id } as const;
    const merchant = (await listAllMerchants(database)).find((row) => row.id === input.id);
    const apiKeys = await listApiKeys(database, company);
    const addresses = await listSourceAddresses(database, company);
    const publicKeys = await listPublicKeys(database, input.id);
    return {
      json: { ...merchant, apiKeys, addresses, publicKeys },
      text: [
        record({
          Merchant: input.id,
          Name: merchant?.name ?? null,
          Status: merchant?.status ?? null,
          Type: merchant?.type ?? null,
          Identifier: `${merchant?.identifier} (type ${merchant?.identifierType})`,
          Category: merchant?.category ?? null,
          'E-mail': merchant?.email ?? null,
          Phone: merchant?.phone ?? null,
          Address: merchant?.address ?? null,
          Logo: merchant?.logo ?? null,
          'Service fee': merchant?.serviceFeePercent
            ? `${Number(merchant.serviceFeePercent)} %`
            : null,
          'Paid to': merchant?.payoutKey ? `${merchant.payoutKey} ${merchant.payoutValue}` : null,
        }),
        `\nAPI keys\n${apiKeyTable(apiKeys)}`,
        `\nAddresses it may call from\n${addressTable(addresses)}`,
        `\nPublic keys\n${publicKeyTable(publicKeys)}`,
      ].join('\n'),
    };
  },
});
