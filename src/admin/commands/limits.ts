import { isDeepStrictEqual } from 'node:util';
import { listRefusedCalls } from '../../db/access/calls.ts';
import { changeApiKey, lockApiKey } from '../../db/access/company-access.ts';
import { companyOfRow } from '../../db/catalogue/companies.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { setLowBalance } from '../../db/ledger/ledger.ts';
import { budgetAlarms } from '../../db/limits/daily-limits.ts';
import { formatGroupedAmount, plainAmount } from '../../domain/money.ts';
import { changeCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  amount,
  argument,
  decimalAmount,
  existing,
  id,
  oneOf,
  optional,
  orNone,
  required,
  rowLimit,
  text,
  wholeNumber,
} from '../fields.ts';
import {
  changeSubject,
  companyFields,
  partnerArgument,
  requireCompany,
  requireSubject,
} from '../record-names.ts';
import { column, tableReport } from '../tables.ts';

const count = wholeNumber(1, 1_000_000_000);

const limitFields = {
  amount: optional(
    orNone(decimalAmount),
    'How much vouchers and top-ups of a day may cost, in ETB',
  ),
  operations: optional(orNone(count), 'How many vouchers and top-ups a day may have'),
};

const RULES =
  'Days are in UTC. Vouchers count when they are generated, top-ups and retries when they are sent; ' +
  'a top-up that fails is not given back. Counting begins when a limit is set.';

/** The limits of a key or a partner in words; undefined without any. */
export function dailyLimits(row: {
  readonly dailyAmount: string | null;
  readonly dailyOperations: number | null;
}): string {
  const parts = [
    row.dailyAmount !== null && `ETB ${plainAmount(row.dailyAmount)}`,
    row.dailyOperations !== null && `${row.dailyOperations} operations`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** A key that is neither revoked nor expired; it stays locked. */
export const requireApiKey = async (transaction: DatabaseTransaction, keyId: number) =>
  existing(await lockApiKey(transaction, keyId), `valid API key ${keyId}`, 'access api-key list');

/** A budget of the company, or null for that of the settings. */
const budget = orNone(count, 'default');

export const commands = {
  'partner set-daily-limits': changeCommand({
    action: 'set daily-limits',
    details: `${RULES} The partner cannot change them; it can limit its keys further.`,
    fields: { ...partnerArgument, ...limitFields },
    examples: ['1 --amount 50000 --operations 200', '1 --amount none'],
    change: (transaction, input) =>
      changeSubject(transaction, 'partner', input.id, {
        daily_amount: input.amount,
        daily_operations: input.operations,
      }),
  }),

  'partner set-low-balance': changeCommand({
    action: 'set low-balance',
    details:
      'The event comes once each time the balance falls below the threshold. Setting a threshold above ' +
      'the balance tells nothing until the balance has risen and fallen again.',
    fields: {
      ...partnerArgument,
      wallet: required(oneOf('gift', 'airtime'), 'gift pays for vouchers, airtime for top-ups'),
      threshold: required(orNone(amount), 'In ETB, with at most 2 decimals; "none" for no event'),
    },
    examples: ['1 --wallet gift --threshold 10000', '1 --wallet airtime --threshold none'],
    async change(transaction, input) {
      const { name, subject } = await requireSubject(transaction, 'partner', input.id);
      const wanted = { partnerId: input.id, wallet: input.wallet, threshold: input.threshold };
      const details = await setLowBalance(transaction, wanted);
      if (details.before === details.after)
        return { unchanged: `No change: partner ${input.id} already has this threshold.` };
      const shown =
        wanted.threshold === null ? 'none' : `ETB ${formatGroupedAmount(wanted.threshold)}`;
      return {
        subject,
        details,
        text: `Set the low balance of the ${wanted.wallet} wallet of partner ${input.id} (${name}): ${shown}`,
      };
    },
  }),

  'access api-key set-daily-limits': changeCommand({
    action: 'set key-limits',
    details: `${RULES} The partner can change them in the portal; its own limits hold, too.`,
    fields: { id: argument(id, 'The id of the key: see access api-key list'), ...limitFields },
    examples: ['7 --amount 1000', '7 --amount none --operations 20'],
    async change(transaction, input) {
      if (input.amount === undefined && input.operations === undefined)
        throw new AdminError('There is nothing to change: add --help to see the options.');
      const key = await requireApiKey(transaction, input.id);
      const company = companyOfRow(key);
      if (company.kind !== 'partner')
        throw new AdminError('Keys of merchants spend nothing, and have no daily limits.');
      const before = { dailyAmount: key.dailyAmount, dailyOperations: key.dailyOperations };
      const after = {
        dailyAmount: input.amount === undefined ? key.dailyAmount : input.amount,
        dailyOperations: input.operations === undefined ? key.dailyOperations : input.operations,
      };
      if (isDeepStrictEqual(before, after))
        return { unchanged: `No change: API key ${input.id} already has these limits.` };
      await changeApiKey(transaction, input.id, after);
      return {
        subject: company,
        details: { keyId: input.id, name: key.name, prefix: key.prefix, before, after },
        text: `API key ${input.id} (${key.name}) may spend in a day: ${dailyLimits(after) || 'no limit'}.`,
      };
    },
  }),

  'access list-refused-calls': lookCommand({
    details:
      'The company is shown if the call was authenticated. "Left out" counts similar calls of the ' +
      'same minute that were not recorded.',
    fields: {
      ...companyFields,
      address: optional(text, 'Only those from one address'),
      reason: optional(text, 'Only those for one reason, such as api-key-invalid'),
      limit: rowLimit(50),
    },
    examples: ['', '--partner 1 --reason token-invalid'],
    async look(database, input) {
      const isOfCompany = input.partner !== undefined || input.merchant !== undefined;
      const calls = await listRefusedCalls(database, {
        company: isOfCompany ? await requireCompany(database, input) : undefined,
        sourceAddress: input.address,
        reason: input.reason,
        limit: input.limit,
      });
      return tableReport(calls, [
        'at',
        'reason',
        'sourceAddress',
        column('company', (row) => row.companyKind && `${row.companyKind} ${row.companyId}`),
        'keyPrefix',
        column('call', (row) => `${row.method} ${row.route}`),
        'leftOut',
        'requestId',
      ]);
    },
  }),

  'access budget set': changeCommand({
    action: 'set budgets',
    details:
      'They apply at once, for days in UTC, and replace the setting MESSAGES_PER_COMPANY_AND_DAY ' +
      'and 100 wrong codes; "default" restores these. "access budget list" shows ' +
      'the companies that reached a budget.',
    fields: {
      ...companyFields,
      messages: optional(budget, 'Verification codes, and confirmations of anonymous redemptions'),
      wrongCodes: optional(
        budget,
        'Wrong verification codes; beyond the budget its redemptions slow down',
      ),
    },
    examples: ['--merchant 3 --messages 20000', '--partner 1 --messages default --wrong-codes 500'],
    async change(transaction, input) {
      const company = await requireCompany(transaction, input);
      return changeSubject(transaction, company.kind, company.id, {
        messages_per_day: input.messages,
        wrong_codes_per_day: input.wrongCodes,
      });
    },
  }),

  'access budget list': lookCommand({
    details:
      'Days are in UTC. A company without remaining messages cannot claim until the day ends; one ' +
      'without remaining wrong codes redeems slowly. Examine its calls, then suspend it or raise ' +
      'its budget with "access budget set".',
    fields: { limit: rowLimit(50) },
    async look(database, { limit }) {
      const alarms = await budgetAlarms(database, limit);
      return tableReport(alarms, [
        'day',
        column('company', (row) => `${row.companyKind} ${row.companyId}`),
        'companyName',
        'messages',
        'messagesSpentAt',
        'wrongCodes',
        'wrongCodesSpentAt',
      ]);
    },
  }),
};
