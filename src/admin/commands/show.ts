import {
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../db/access/company-access.ts';
import { operationsOf, readLedgerHistory } from '../../db/ledger/ledger.ts';
import { allMerchants } from '../../db/lists/catalogue.ts';
import { findTopupDetail, type TopupDetail } from '../../db/topups/topups.ts';
import { findVoucherDetail, type VoucherDetail } from '../../db/vouchers/vouchers.ts';
import { maskStored } from '../../domain/phone.ts';
import { lookCommand } from '../command.ts';
import { AdminError, argument, id } from '../fields.ts';
import { moneyMoveTable } from '../ledger-history.ts';
import { requireSubject, voucherArgument, voucherIdOf, voucherNotFound } from '../record-names.ts';
import { column, moment, moneyText, numbers, record, textTable, timeText } from '../tables.ts';
import { addressTable, apiKeyTable, publicKeyTable } from './access.ts';
import { presentMerchant, rowsWith, voucherRow, whatOf } from './lists.ts';

/** The providers that were asked, in their order. */
const askedProviders = (
  placements: readonly { readonly kind: string; readonly provider: string }[],
): string =>
  placements
    .filter(({ kind }) => kind !== 'reversal')
    .map(({ provider }) => provider)
    .join(', then ');

export const showMerchantCommand = lookCommand({
  name: 'merchant show',
  fields: { id: argument(id, 'The id of the merchant') },
  examples: ['merchant show 3'],
  async look(database, input) {
    await requireSubject(database, 'merchant', input.id);
    const company = { kind: 'merchant', id: input.id } as const;
    const [merchant] = await rowsWith(database, allMerchants, 'id', input.id);
    const apiKeys = await listApiKeys(database, company);
    const addresses = await listSourceAddresses(database, company);
    const publicKeys = await listPublicKeys(database, input.id);
    return {
      json: { ...(merchant && presentMerchant(merchant)), apiKeys, addresses, publicKeys },
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
        `\nAPI keys\n${apiKeyTable(apiKeys)}`,
        `\nAddresses it may call from\n${addressTable(addresses)}`,
        `\nPublic keys\n${publicKeyTable(publicKeys)}`,
      ].join('\n'),
    };
  },
});

export const showTopupCommand = lookCommand({
  name: 'top-up show',
  fields: { id: argument(id, 'The number of the top-up, the transactionId of partners') },
  examples: ['top-up show 17', 'top-up show 17 --json'],
  async look(database, input) {
    const found = await findTopupDetail(database, 'operator', input.id);
    if (!found) throw new AdminError(`There is no top-up ${input.id}: see "top-up list".`);
    const topup = { ...found, msisdn: maskStored(found.msisdn) };
    const attempts = found.attempts.map((attempt) => ({
      ...attempt,
      msisdn: maskStored(attempt.msisdn),
    }));
    const operationIds = attempts.map(({ operationId }) => operationId);
    const ledgerHistory = await readLedgerHistory(database, found.partnerId, operationIds);
    return {
      json: { ...topup, attempts, ledgerHistory },
      text: [
        record({
          'Top-up': topup.id,
          Status: topup.status,
          Partner: topup.partnerId,
          What: whatOf(found),
          Amount: topup.amount && `ETB ${moneyText(topup.amount)}`,
          Number: topup.msisdn,
          'Provider reference': topup.providerReference,
          Message: topup.message,
          Accepted: timeText(topup.createdAt),
          'Last change': timeText(topup.updatedAt),
        }),
        `\nAttempts\n${attemptTable(attempts)}`,
        `\nHow the money moved\n${moneyMoveTable(ledgerHistory)}`,
      ].join('\n'),
    };
  },
});

const attemptTable = (
  attempts: readonly (Omit<TopupDetail['attempts'][number], 'msisdn'> & {
    readonly msisdn: string;
  })[],
): string =>
  textTable(attempts, [
    numbers('attempt', (row) => row.attempt),
    column('begun', (row) => moment(row.at)),
    column('status', (row) => row.status),
    column('settled', (row) => moment(row.settledAt)),
    column('done late', (row) => moment(row.lateAt)),
    column('taken back', (row) => moment(row.takenBackAt)),
    column('number', (row) => row.msisdn),
    column('our reference', (row) => row.reference),
    column('provider', ({ placements }) => askedProviders(placements)),
    column('provider reference', (row) => row.providerReference),
    column('said by', (row) => row.notDoneBy),
    column('what was said', (row) => row.providerMessage),
  ]);

export const showVoucherCommand = lookCommand({
  name: 'voucher show',
  details: 'The code is never shown: only the generating partner gets it.',
  fields: { voucher: voucherArgument },
  examples: ['voucher show 17', 'voucher show 012345678901234567'],
  async look(database, input) {
    const voucherId = await voucherIdOf(database, input.voucher);
    const found = await findVoucherDetail(database, voucherId, 'operator');
    if (!found) throw voucherNotFound(input.voucher);
    const { isRestricted, sellingPriceUsd, operationId, endedAt, ...shown } = found;
    const voucher = {
      ...voucherRow(shown),
      moves: found.moves.map((move) => ({ ...move, at: new Date(move.at) })),
      messages: found.messages.map((message) => ({
        ...message,
        msisdn: maskStored(message.msisdn),
      })),
    };
    const ledgerHistory = await readLedgerHistory(database, found.partnerId, operationsOf(found));
    return {
      json: { ...voucher, ledgerHistory },
      text: [
        record({
          Voucher: voucher.id,
          'Serial number': voucher.serialNumber,
          Status: voucher.status,
          Amount: `ETB ${moneyText(voucher.amount)}`,
          Remaining: `ETB ${moneyText(voucher.remaining)}`,
          'On hold': `ETB ${moneyText(voucher.held)}`,
          Returned: `ETB ${moneyText(voucher.returned)}`,
          Partner: voucher.partnerId,
          Merchant: voucher.merchant,
          Owner: voucher.ownerMsisdn ?? 'anonymous',
          Generated: timeText(voucher.createdAt),
          Expires: timeText(voucher.expiresAt),
        }),
        `\nStatus changes\n${moveTable(found.moves)}`,
        `\nClaims\n${claimTable(found.claims)}`,
        `\nRedemptions\n${redemptionTable(found.redemptions)}`,
        `\nMessages\n${messageTable(voucher.messages)}`,
        `\nHow its money moved\n${moneyMoveTable(ledgerHistory)}`,
      ].join('\n'),
    };
  },
});

const moveTable = (moves: VoucherDetail['moves']): string =>
  textTable(moves, [
    column('time', (move) => moment(move.at)),
    column('from', (move) => move.from),
    column('to', (move) => move.to),
  ]);

const claimTable = (claims: VoucherDetail['claims']): string =>
  textTable(claims, [
    column('time', (row) => moment(row.at)),
    column('by', (row) => row.company),
    numbers('etb', (row) => (row.amount === null ? 'all' : moneyText(row.amount))),
    column('status', (row) => row.status),
  ]);

const redemptionTable = (redemptions: VoucherDetail['redemptions']): string =>
  textTable(redemptions, [
    column('time', (row) => moment(row.at)),
    column('status', (row) => row.status),
    column('settled', (row) => moment(row.settledAt)),
    column('paid late', (row) => moment(row.lateAt)),
    column('taken back', (row) => moment(row.takenBackAt)),
    column('merchant', (row) => row.merchant),
    numbers('to merchant', (row) => moneyText(row.toMerchant)),
    numbers('fee', (row) => moneyText(row.serviceFee)),
    column('reference', (row) => row.reference),
    column('payment reference', (row) => row.paymentReference),
    column('provider', ({ placements }) => askedProviders(placements)),
    column('provider reference', (row) => row.providerReference),
    column('said by', (row) => row.notDoneBy),
    column('what was said', (row) => row.providerMessage),
  ]);

const messageTable = (
  messages: readonly (Omit<VoucherDetail['messages'][number], 'msisdn'> & {
    readonly msisdn: string;
  })[],
): string =>
  textTable(messages, [
    column('time', (row) => moment(row.at)),
    column('what', (row) => row.kind),
    column('to', (row) => row.msisdn),
    column('status', (row) => row.status),
    column('provider', ({ failovers, provider }) =>
      [...failovers.map(({ from }) => from), provider ?? '-'].join(', then '),
    ),
    column('provider reference', (row) => row.providerReference),
    column('the provider says', (row) => row.providerMessage ?? row.deliveryReason),
    column('delivery', (row) => row.delivery),
    column('reported', (row) => moment(row.deliveryAt)),
  ]);
