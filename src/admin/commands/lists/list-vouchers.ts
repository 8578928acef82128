import { operationsOf, readLedgerHistory } from '../../../db/ledger/ledger-history.ts';
import { listVouchers } from '../../../db/lists/operator-lists.ts';
import { findVoucherDetail, type VoucherDetail } from '../../../db/vouchers/voucher-detail.ts';
import { maskStored } from '../../../domain/phone.ts';
import { type VoucherStatus, voucherMoves } from '../../../domain/voucher.ts';
import { askedProviders } from '../../asked-providers.ts';
import { lookCommand } from '../../command.ts';
import { moneyMoveTable } from '../../ledger-history.ts';
import { column, moment, money, numbers, record, table, time } from '../../tables.ts';
import { voucherArgument, voucherIdOf, voucherNotFound } from '../../voucher-name.ts';
import { newestFields, newestSelection } from './newest.ts';

const statuses = Object.keys(voucherMoves) as VoucherStatus[];

type ListedVoucher = Awaited<ReturnType<typeof listVouchers>>[number];

/** The owner's number is masked. */
const present = <Voucher extends ListedVoucher>(voucher: Voucher) => ({
  ...voucher,
  ownerMsisdn: voucher.ownerMsisdn && maskStored(voucher.ownerMsisdn),
});

export const listVouchersCommand = lookCommand({
  name: 'list vouchers',
  fields: newestFields(statuses, 'Only those of one owner'),
  examples: ['list vouchers --partner 1 --status ACTIVE', 'list vouchers --msisdn 0911234567'],
  async look(database, input, context) {
    const found = await listVouchers(database, newestSelection(input, context));
    const vouchers = found.map(present);
    return {
      json: vouchers,
      text: table(vouchers, [
        numbers('id', (row) => row.id),
        column('serial number', (row) => row.serialNumber),
        column('status', (row) => row.status),
        numbers('amount', (row) => money(row.amount)),
        numbers('remaining', (row) => money(row.remaining)),
        numbers('partner', (row) => row.partnerId),
        column('merchant', (row) => row.merchant),
        column('owner', (row) => row.ownerMsisdn),
        column('generated', (row) => time(row.createdAt)),
      ]),
    };
  },
});

export const showVoucher = lookCommand({
  name: 'show voucher',
  details: 'The code is never shown: only the generating partner gets it.',
  fields: { voucher: voucherArgument },
  examples: ['show voucher 17', 'show voucher 012345678901234567'],
  async look(database, input) {
    const voucherId = await voucherIdOf(database, input.voucher);
    const found = await findVoucherDetail(database, voucherId, 'operator');
    if (!found) throw voucherNotFound(input.voucher);
    const { isRestricted, sellingPriceUsd, operationId, endedAt, merchantName, ...shown } = found;
    const voucher = {
      ...present({ ...shown, merchant: merchantName }),
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
          Amount: `ETB ${money(voucher.amount)}`,
          Remaining: `ETB ${money(voucher.remaining)}`,
          'On hold': `ETB ${money(voucher.held)}`,
          Returned: `ETB ${money(voucher.returned)}`,
          Partner: voucher.partnerId,
          Merchant: voucher.merchant,
          Owner: voucher.ownerMsisdn ?? 'anonymous',
          Generated: time(voucher.createdAt),
          Expires: time(voucher.expiresAt),
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
  table(moves, [
    column('time', (move) => moment(move.at)),
    column('from', (move) => move.from),
    column('to', (move) => move.to),
  ]);

const claimTable = (claims: VoucherDetail['claims']): string =>
  table(claims, [
    column('time (utc)', (row) => moment(row.at)),
    column('by', (row) => row.company),
    numbers('etb', (row) => (row.amount === null ? 'all' : money(row.amount))),
    column('status', (row) => row.status),
  ]);

const redemptionTable = (redemptions: VoucherDetail['redemptions']): string =>
  table(redemptions, [
    column('time (utc)', (row) => moment(row.at)),
    column('status', (row) => row.status),
    column('settled (utc)', (row) => moment(row.settledAt)),
    column('paid late (utc)', (row) => moment(row.lateAt)),
    column('taken back (utc)', (row) => moment(row.takenBackAt)),
    column('merchant', (row) => row.merchant),
    numbers('to merchant', (row) => money(row.toMerchant)),
    numbers('fee', (row) => money(row.serviceFee)),
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
  table(messages, [
    column('time (utc)', (row) => moment(row.at)),
    column('what', (row) => row.kind),
    column('to', (row) => row.msisdn),
    column('status', (row) => row.status),
    column('provider', ({ failovers, provider }) =>
      [...failovers.map(({ from }) => from), provider ?? '-'].join(', then '),
    ),
    column('provider reference', (row) => row.providerReference),
    column('the provider says', (row) => row.providerMessage ?? row.deliveryReason),
    column('delivery', (row) => row.delivery),
    column('reported (utc)', (row) => moment(row.deliveryAt)),
  ]);
