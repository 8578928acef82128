import { askForAccount } from '../../../activities/providers.ts';
import { lockRow } from '../../db/catalogue/companies.ts';
import {
  currentPayoutAccounts,
  listAccountChecks,
  recordAccountCheck,
} from '../../db/catalogue/payout-accounts.ts';
import type { Database } from '../../db/connection.ts';
import { accountRemedy, maskedAccount } from '../../domain/payout-account.ts';
import { mobileMoneyProviderNames } from '../../domain/providers.ts';
import { HAS_CHANGED } from '../../repairs/repair-kind.ts';
import { type AdminCommand, changeCommand, lookCommand, type Report } from '../command.ts';
import { AdminError, flag, type InputOf, oneOf, required, text } from '../fields.ts';
import { providersOf } from '../provider-adapters.ts';
import { merchantField, requireSubject } from '../record-names.ts';
import { column, tableReport } from '../tables.ts';

async function reportOf(
  database: Database,
  wanted: Parameters<typeof listAccountChecks>[1],
): Promise<Report> {
  const checks = (await listAccountChecks(database, wanted)).map(({ value, ...check }) => ({
    ...check,
    account: maskedAccount({ key: check.key, value }),
    facts: factsOf(check.accountId),
    remedy: accountRemedy(check.state, check.expectedHolder),
  }));
  return tableReport(checks, [
    'merchantId',
    'merchant',
    'account',
    'provider',
    column('state', (row) => row.state ?? 'not asked yet'),
    'holder',
    'expectedHolder',
    'checkedAt',
    'facts',
    'remedy',
  ]);
}

/** The facts that a person confirms: another value or another holder is another account. */
const factsOf = (accountId: number): string => `account=${accountId}`;

export const commands: Record<string, AdminCommand> = {
  'merchant payout-account list': lookCommand({
    details:
      'Before the first payment the service asks the provider for the account, if the provider can tell. An account ' +
      'that is closed, or held by somebody else than expected, is not paid: redemptions are refused, and ' +
      'the voucher keeps its value. Its provider is asked again at each of them.',
    fields: { unpaid: flag('Only accounts that are not paid, and why') },
    examples: ['', '--unpaid'],
    look: (database, { unpaid }, { settings }) =>
      reportOf(
        database,
        unpaid ? { unpaidWithDefault: settings.defaultProviders.mobileMoneyProvider } : {},
      ),
  }),

  'merchant payout-account check': {
    details:
      'Moves no money. It needs the settings of the providers, as the worker process has them. The exit ' +
      'code is 2 where the account is not paid, or a provider does not answer.',
    fields: merchantField,
    async run({ database, settings }, { merchant }: InputOf<typeof merchantField>) {
      await requireSubject(database, 'merchant', merchant);
      const account = (await currentPayoutAccounts(database, [merchant])).get(merchant);
      if (!account) throw new AdminError(`Merchant ${merchant} has no payout account.`);
      const { mobileMoney } = providersOf(settings);
      const { isPaid, problems } = await askForAccount(database, mobileMoney, account);
      const report = await reportOf(database, { merchantId: merchant });
      return {
        json: { accounts: report.json, problems },
        text: [report.text, ...problems].join('\n'),
        exitCode: isPaid && problems.length === 0 ? 0 : 2,
      };
    },
  },

  'merchant payout-account confirm': changeCommand({
    action: 'confirm payout-account',
    details:
      'A merchant whose payout account has a registered holder (merchant payout-account set --holder) is paid ' +
      'only by providers that confirm the holder. For a provider that cannot tell, such as M-Pesa, a ' +
      'person finds out who holds the account there, and confirms it. Another account needs a confirmation of its own.',
    fields: {
      ...merchantField,
      provider: required(
        oneOf(...mobileMoneyProviderNames),
        'The provider that may pay the account',
      ),
      facts: required(
        text,
        'The facts, as "merchant payout-account list" prints them: refused if they changed',
      ),
    },
    examples: ['--merchant 3 --provider mpesa --facts account=17'],
    async change(transaction, { merchant, provider, facts }) {
      const { name, subject } = await requireSubject(transaction, 'merchant', merchant);
      await lockRow(transaction, 'merchants', merchant);
      const account = (await currentPayoutAccounts(transaction, [merchant])).get(merchant);
      if (!account) throw new AdminError(`Merchant ${merchant} has no payout account.`);
      const { id: accountId, holder } = account;
      if (holder === null)
        throw new AdminError(
          `Merchant ${merchant} has no registered holder: use "merchant payout-account set" with --holder first.`,
        );
      if (facts !== factsOf(accountId))
        throw new AdminError(
          `${HAS_CHANGED} "merchant payout-account list" prints the facts of its account.`,
        );
      await recordAccountCheck(transaction, { accountId, provider, state: 'open', holder });
      const others = (await listAccountChecks(transaction, { merchantId: merchant }))
        .filter((check) => check.state === 'not-offered' && check.provider !== provider)
        .map((check) => ` ${check.provider} does not pay it without a confirmation of its own.`);
      return {
        subject,
        details: { accountId, provider, holder },
        text: `Merchant ${merchant} (${name}) may be paid by ${provider} from now on.${others.join('')}`,
      };
    },
  }),
};
