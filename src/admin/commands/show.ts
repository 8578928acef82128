import {
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../db/access/company-access.ts';
import { operationsOf, readLedgerHistory } from '../../db/ledger/ledger.ts';
import { allMerchants } from '../../db/lists/catalogue.ts';
import { findTopupDetail } from '../../db/topups/topups.ts';
import { findVoucherDetail } from '../../db/vouchers/vouchers.ts';
import { voucherNamed } from '../../repairs/voucher-repairs.ts';
import { lookCommand } from '../command.ts';
import { AdminError, argument, id, text } from '../fields.ts';
import { merchantArgument, requireSubject } from '../record-names.ts';
import { record, textTable } from '../tables.ts';
import { addressColumns, apiKeyColumns, publicKeyTable } from './access.ts';
import { storyReport } from './find.ts';
import { masked, rowsWith } from './lists.ts';

export const commands = {
  'merchant show': lookCommand({
    fields: merchantArgument,
    async look(database, input) {
      await requireSubject(database, 'merchant', input.id);
      const company = { kind: 'merchant', id: input.id } as const;
      const [merchant] = await rowsWith(database, allMerchants, 'id', input.id);
      const apiKeys = await listApiKeys(database, company);
      const addresses = await listSourceAddresses(database, company);
      const publicKeys = await listPublicKeys(database, input.id);
      return {
        json: { ...merchant, apiKeys, addresses, publicKeys },
        text: [
          record({
            Merchant: input.id,
            Name: merchant?.merchantName ?? null,
            Status: merchant?.status ?? null,
            Type: merchant?.merchantType ?? null,
            Identifier: `${merchant?.identifier} (type ${merchant?.identifierType})`,
            Category: merchant?.category ?? null,
            'E-mail': merchant?.email ?? null,
            Phone: merchant?.phone ?? null,
            Address: merchant?.address ?? null,
            Logo: merchant?.merchantLogo ?? null,
            'Service fee': merchant?.serviceFeePercent
              ? `${Number(merchant.serviceFeePercent)} %`
              : null,
            'Paid to': merchant?.payoutKey ? `${merchant.payoutKey} ${merchant.payoutValue}` : null,
          }),
          `\nAPI keys\n${textTable(apiKeys, apiKeyColumns)}`,
          `\nAddresses it may call from\n${textTable(addresses, addressColumns)}`,
          `\nPublic keys\n${publicKeyTable(publicKeys)}`,
        ].join('\n'),
      };
    },
  }),

  'top-up show': lookCommand({
    details:
      'With --json it has each attempt with the answers of providers. A repair that demands --facts stands at the end ' +
      'with them, while it is possible.',
    fields: { id: argument(id, 'The number of the top-up, which is its transactionId') },
    examples: ['17', '17 --json'],
    async look(database, input, { settings }) {
      const subject = { kind: 'top-up', id: input.id } as const;
      const story = await storyReport({ database, settings }, subject);
      const found = await findTopupDetail(database, 'operator', input.id);
      if (!story || !found)
        throw new AdminError(`There is no top-up ${input.id}: see "top-up list".`);
      const { partner, workflowId, ...shown } = found;
      const attempts = found.attempts.map(masked);
      const operationIds = attempts.map(({ operationId }) => operationId);
      const ledgerHistory = await readLedgerHistory(database, found.partnerId, operationIds);
      return {
        json: { ...masked(shown), attempts, repairs: story.json.repairs, ledgerHistory },
        text: story.text,
      };
    },
  }),

  'voucher show': lookCommand({
    details:
      'The code is never shown: only the generating partner gets it. With --json it has each claim, redemption ' +
      'and message with the references of providers. A repair that demands --facts stands at the end with them, while it ' +
      'is possible.',
    fields: { voucher: argument(text, 'The id of the voucher, or its serial number') },
    examples: ['17', '012345678901234567'],
    async look(database, input, { settings }) {
      const subject = {
        kind: 'voucher',
        id: Number(await voucherNamed(database, input.voucher)) || 0,
      } as const;
      const story = await storyReport({ database, settings }, subject);
      const found = await findVoucherDetail(database, subject.id, 'operator');
      if (!story || !found)
        throw new AdminError(`There is no voucher ${input.voucher}: see "voucher list".`);
      const { isRestricted, sellingPriceUsd, operationId, endedAt, partner, ...shown } = found;
      const voucher = {
        ...masked(shown),
        moves: found.moves.map((move) => ({ ...move, at: new Date(move.at) })),
        messages: found.messages.map(masked),
      };
      const ledgerHistory = await readLedgerHistory(database, found.partnerId, operationsOf(found));
      return {
        json: { ...voucher, repairs: story.json.repairs, ledgerHistory },
        text: story.text,
      };
    },
  }),
};
