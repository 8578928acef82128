import {
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../db/access/company-access.ts';
import { operationsOf, readLedgerHistory } from '../../db/ledger/ledger.ts';
import {
  listAllDenominations,
  listAllMerchants,
  listMerchantCategories,
  listProductCategories,
  listProducts,
  listPromos,
  listVouchers,
} from '../../db/lists/operator-lists.ts';
import {
  findTopupDetail,
  findTopupOwner,
  listTopups,
  type TopupDetail,
} from '../../db/topups/topups.ts';
import { findVoucherDetail, type VoucherDetail } from '../../db/vouchers/vouchers.ts';
import { maskStored } from '../../domain/phone.ts';
import type { TopupStatus } from '../../domain/topup.ts';
import { type VoucherStatus, voucherMoves } from '../../domain/vouchers/voucher.ts';
import { type AdminContext, lookCommand } from '../command.ts';
import {
  AdminError,
  argument,
  type InputOf,
  id,
  msisdn,
  oneOf,
  optional,
  wholeNumber,
} from '../fields.ts';
import { moneyMoveTable } from '../ledger-history.ts';
import { requireSubject, voucherArgument, voucherIdOf, voucherNotFound } from '../record-names.ts';
import { column, moment, money, numbers, record, table, time } from '../tables.ts';
import { addressTable, apiKeyTable, publicKeyTable } from './access.ts';

/** The providers that were asked, in their order. */
const askedProviders = (
  placements: readonly { readonly kind: string; readonly provider: string }[],
): string =>
  placements
    .filter(({ kind }) => kind !== 'reversal')
    .map(({ provider }) => provider)
    .join(', then ');

export const listMerchantCategoriesCommand = lookCommand({
  name: 'list merchant-categories',
  fields: {},
  examples: ['list merchant-categories'],
  async look(database) {
    const categories = await listMerchantCategories(database);
    return {
      json: categories,
      text: table(categories, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('status', (row) => (row.isActive ? 'ACTIVE' : 'INACTIVE')),
      ]),
    };
  },
});

export const listProductCategoriesCommand = lookCommand({
  name: 'list product-categories',
  fields: {},
  examples: ['list product-categories'],
  async look(database) {
    const categories = await listProductCategories(database);
    return {
      json: categories,
      text: table(categories, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('status', (row) => row.status),
        column('description', (row) => row.description),
      ]),
    };
  },
});

export const listDenominationsCommand = lookCommand({
  name: 'list denominations',
  fields: {},
  examples: ['list denominations'],
  async look(database) {
    const denominations = await listAllDenominations(database);
    return {
      json: denominations,
      text: table(denominations, [
        numbers('id', (row) => row.id),
        numbers('amount', (row) => money(row.amount)),
        column('status', (row) => row.status),
        column('product', (row) => `${row.product} (${row.productId})`),
      ]),
    };
  },
});

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

type ListedProduct = Awaited<ReturnType<typeof listProducts>>[number];

/** Products as a table. */
export const productTable = (products: readonly ListedProduct[]): string =>
  table(products, [
    numbers('id', (row) => row.id),
    column('name', (row) => row.name),
    column('kind', (row) => row.kind),
    column('category', (row) => row.category),
    column('operator', (row) => row.operator),
    numbers('price', (row) => row.price && money(row.price)),
    numbers('provider id', (row) => row.providerProductId),
    column('status', (row) => row.status),
  ]);

export const listProductsCommand = lookCommand({
  name: 'list products',
  fields: { partner: optional(id, 'The id of a partner: only the products that it may sell') },
  examples: ['list products', 'list products --partner 1'],
  async look(database, { partner }) {
    if (partner !== undefined) await requireSubject(database, 'partner', partner);
    const products = await listProducts(database, partner);
    return { json: products, text: productTable(products) };
  },
});

const plain = (decimal: string): string => String(Number(decimal));

export const listPromosCommand = lookCommand({
  name: 'list promos',
  fields: {},
  examples: ['list promos'],
  async look(database) {
    const promos = await listPromos(database);
    return {
      json: promos,
      text: table(promos, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('category', (row) => row.category),
        column('from (utc)', (row) => time(row.start)),
        column('to (utc)', (row) => time(row.end)),
        numbers('discount %', (row) => plain(row.discount)),
        numbers('bonus %', (row) => plain(row.bonus)),
        numbers('constraint', (row) => plain(row.constraint)),
        column('image', (row) => row.image),
        column('status', (row) => row.status),
      ]),
    };
  },
});

/** The fields of a list of the newest vouchers or top-ups. */
const newestFields = <Status extends string>(
  statuses: readonly Status[],
  descriptionOfNumber: string,
) => ({
  partner: optional(id, 'Only those of one partner'),
  status: optional(oneOf(...statuses), 'Only those in one status'),
  msisdn: optional(msisdn, descriptionOfNumber),
  limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 50 by default'),
});

/** What these fields select, for the database, which knows numbers by their hashes only. */
const newestSelection = <Status extends string>(
  input: InputOf<ReturnType<typeof newestFields<Status>>>,
  context: Pick<AdminContext, 'numbers'>,
) => ({
  partnerId: input.partner,
  status: input.status,
  numberHash: input.msisdn === undefined ? undefined : context.numbers().hashOf(input.msisdn),
  limit: input.limit ?? 50,
});

const topupStatuses = [
  'PENDING',
  'PROCESSING',
  'UNKNOWN',
  'SUCCESS',
  'FAILED',
] as const satisfies readonly TopupStatus[];

const whatOf = ({ kind, product }: { readonly kind: string; readonly product: string | null }) =>
  kind === 'PACKAGE' ? product : 'airtime';

export const listTopupsCommand = lookCommand({
  name: 'list top-ups',
  fields: newestFields(topupStatuses, 'Only those with an attempt to this number'),
  examples: ['list top-ups --partner 1 --status UNKNOWN', 'list top-ups --msisdn 0911234567'],
  async look(database, input, context) {
    const found = await listTopups(database, newestSelection(input, context));
    const topups = found.map((row) => ({ ...row, msisdn: maskStored(row.msisdn) }));
    return {
      json: topups,
      text: table(topups, [
        numbers('id', (row) => row.id),
        column('accepted (utc)', (row) => time(row.createdAt)),
        column('status', (row) => row.status),
        numbers('partner', (row) => row.partnerId),
        column('what', whatOf),
        numbers('etb', (row) => row.amount && money(row.amount)),
        column('number', (row) => row.msisdn),
        numbers('attempt', (row) => row.attempt),
        column('provider reference', (row) => row.providerReference),
      ]),
    };
  },
});

export const showTopup = lookCommand({
  name: 'show top-up',
  fields: { id: argument(id, 'The number of the top-up, the transactionId of partners') },
  examples: ['show top-up 17', 'show top-up 17 --json'],
  async look(database, input) {
    const partnerId = await findTopupOwner(database, input.id);
    const found =
      partnerId === undefined ? undefined : await findTopupDetail(database, partnerId, input.id);
    if (partnerId === undefined || found === undefined)
      throw new AdminError(`There is no top-up ${input.id}: see "list top-ups".`);
    const topup = { ...found, partnerId, msisdn: maskStored(found.msisdn) };
    const attempts = found.attempts.map((attempt) => ({
      ...attempt,
      msisdn: maskStored(attempt.msisdn),
    }));
    const operationIds = attempts.map(({ operationId }) => operationId);
    const ledgerHistory = await readLedgerHistory(database, partnerId, operationIds);
    return {
      json: { ...topup, attempts, ledgerHistory },
      text: [
        record({
          'Top-up': topup.id,
          Status: topup.status,
          Partner: partnerId,
          What: whatOf({ kind: topup.kind, product: topup.productName }),
          Amount: topup.amount && `ETB ${money(topup.amount)}`,
          Number: topup.msisdn,
          'Provider reference': topup.provider_reference,
          Message: topup.message,
          Accepted: time(topup.created_at),
          'Last change': time(topup.updated_at),
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
  table(attempts, [
    numbers('attempt', (row) => row.attempt),
    column('begun (utc)', (row) => moment(row.at)),
    column('status', (row) => row.status),
    column('settled (utc)', (row) => moment(row.settledAt)),
    column('done late (utc)', (row) => moment(row.lateAt)),
    column('taken back (utc)', (row) => moment(row.takenBackAt)),
    column('number', (row) => row.msisdn),
    column('our reference', (row) => row.reference),
    column('provider', ({ placements }) => askedProviders(placements)),
    column('provider reference', (row) => row.providerReference),
    column('said by', (row) => row.notDoneBy),
    column('what was said', (row) => row.providerMessage),
  ]);

const voucherStatuses = Object.keys(voucherMoves) as VoucherStatus[];

type ListedVoucher = Awaited<ReturnType<typeof listVouchers>>[number];

/** The owner's number is masked. */
const present = <Voucher extends ListedVoucher>(voucher: Voucher) => ({
  ...voucher,
  ownerMsisdn: voucher.ownerMsisdn && maskStored(voucher.ownerMsisdn),
});

export const listVouchersCommand = lookCommand({
  name: 'list vouchers',
  fields: newestFields(voucherStatuses, 'Only those of one owner'),
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
