import { readLedgerHistory } from '../../../db/ledger/ledger-history.ts';
import type { TopupStatus } from '../../../db/schema/all-tables.ts';
import { findTopupOwner, listTopups } from '../../../db/topups/operator-topups.ts';
import { findTopupDetail, type TopupDetail } from '../../../db/topups/topup-detail.ts';
import { maskStored } from '../../../domain/phone.ts';
import { AdminError } from '../../admin-error.ts';
import { askedProviders } from '../../asked-providers.ts';
import { lookCommand } from '../../command.ts';
import { argument, id } from '../../fields.ts';
import { moneyMoveTable } from '../../ledger-history.ts';
import { column, moment, money, numbers, record, table, time } from '../../tables.ts';
import { newestFields, newestSelection } from './newest.ts';

const statuses = [
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
  fields: newestFields(statuses, 'Only those with an attempt to this number'),
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
