import {
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../db/access/company-access.ts';
import type { Database } from '../../db/connection.ts';
import { allMerchants, allPartners, allProducts } from '../../db/lists/catalogue.ts';
import type { Company, CompanyKind } from '../../domain/vouchers/voucher.ts';
import { voucherNamed } from '../../repairs/voucher-repairs.ts';
import { type AdminCommand, lookCommand } from '../command.ts';
import { argument, existing, id, text } from '../fields.ts';
import { merchantArgument, notFound, partnerArgument } from '../record-names.ts';
import { type Column, recordOf, textTable } from '../tables.ts';
import { addressColumns, apiKeyColumns, publicKeyColumns } from './access.ts';
import { storyReport } from './find.ts';
import { fieldColumns, productColumns, rowsWith, type ShownList } from './lists.ts';

/** The rows of a company in one of its lists, and their table below a title. */
const part =
  <Row>(
    title: string,
    columns: readonly Column<Row>[],
    read: (database: Database, company: Company) => Promise<readonly Row[]>,
  ) =>
  async (database: Database, company: Company) => {
    const rows = await read(database, company);
    return { rows, text: `\n${title}\n${textTable(rows, columns)}` };
  };

/** The command that shows a company: the fields of its row in the list, and what it has. */
const showCompany = <Row extends Readonly<Record<string, unknown>>>(
  kind: CompanyKind,
  {
    list,
    fields,
    parts,
  }: {
    readonly list: ShownList<Row>;
    readonly fields: readonly (keyof Row & string)[];
    readonly parts: Readonly<Record<string, ReturnType<typeof part>>>;
  },
): AdminCommand =>
  lookCommand({
    fields: kind === 'partner' ? partnerArgument : merchantArgument,
    async look(database, { id }) {
      const [row] = await rowsWith(database, list, 'id', id);
      if (!row) throw notFound(kind, id);
      const json: Record<string, unknown> = { ...row };
      const text = [recordOf(row, fieldColumns(list, fields))];
      for (const [name, read] of Object.entries(parts)) {
        const found = await read(database, { kind, id });
        json[name] = found.rows;
        text.push(found.text);
      }
      return { json, text: text.join('\n') };
    },
  });

const access = {
  apiKeys: part('API keys', apiKeyColumns, listApiKeys),
  addresses: part('Addresses it may call from', addressColumns, listSourceAddresses),
};

const STORY_DETAILS =
  'With --json it has the whole record with the references on both sides. A repair that demands --facts stands at the ' +
  'end with them, while it is possible.';

export const commands = {
  'partner show': showCompany('partner', {
    list: allPartners,
    fields: [
      'id',
      'name',
      'status',
      'gift',
      'giftLowBelow',
      'airtime',
      'airtimeLowBelow',
      'reserved',
      'dailyAmount',
      'dailyOperations',
      'messageLanguage',
    ],
    parts: {
      products: part(
        'Products it may sell',
        fieldColumns(allProducts, productColumns),
        (database, { id }) => rowsWith(database, allProducts, 'partnerId', id),
      ),
      ...access,
    },
  }),

  'merchant show': showCompany('merchant', {
    list: allMerchants,
    fields: [
      'id',
      'merchantName',
      'status',
      'merchantType',
      'identifier',
      'identifierType',
      'category',
      'email',
      'phone',
      'address',
      'merchantLogo',
      'serviceFeePercent',
      'payoutKey',
      'payoutValue',
    ],
    parts: {
      ...access,
      publicKeys: part('Public keys', publicKeyColumns, (database, { id }) =>
        listPublicKeys(database, id),
      ),
    },
  }),

  'top-up show': lookCommand({
    details: STORY_DETAILS,
    fields: { id: argument(id, 'The number of the top-up, which is its transactionId') },
    examples: ['17', '17 --json'],
    look: async (database, { id }, { settings }) =>
      existing(
        await storyReport({ database, settings }, { kind: 'top-up', id }),
        `top-up ${id}`,
        'top-up list',
      ),
  }),

  'voucher show': lookCommand({
    details: `The code is never shown: only the generating partner gets it. ${STORY_DETAILS}`,
    fields: { voucher: argument(text, 'The id of the voucher, or its serial number') },
    examples: ['17', '012345678901234567'],
    async look(database, { voucher }, { settings }) {
      const id = Number(await voucherNamed(database, voucher)) || 0;
      return existing(
        await storyReport({ database, settings }, { kind: 'voucher', id }),
        `voucher ${voucher}`,
        'voucher list',
      );
    },
  }),
};
