import { log } from '@temporalio/activity';
import {
  type PaidAccount,
  payersOfAccount,
  recordAccountCheck,
  recordUnconfirmed,
} from '../../src/db/catalogue/payout-account-checks.ts';
import {
  currentPayoutAccounts,
  type PayoutAccount,
} from '../../src/db/catalogue/payout-accounts.ts';
import type { Database } from '../../src/db/connection.ts';
import {
  type AccountChecked,
  isPayable,
  type PayoutAccountState,
  payoutAccountState,
} from '../../src/domain/providers/payout-account.ts';
import type { MobileMoneyProviderName } from '../../src/domain/providers/provider-names.ts';
import type {
  MobileMoney,
  PartyIdentifier,
} from '../../src/providers/mobile-money/mobile-money.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';

/** The provider, made to ask for the account before the first payment to it. */
export const checkingAccount = (
  database: Database,
  { name, port }: { readonly name: MobileMoneyProviderName; readonly port: MobileMoney },
  account: PaidAccount,
): Pick<MobileMoney, 'pay' | 'repetition'> => ({
  repetition: port.repetition,
  pay: async (payment) =>
    (await refuseAccount(database, { name, port, account, payee: payment.payee })) ??
    port.pay(payment),
});

/**
 * Whether a provider may be chosen to pay an account: a registered holder is confirmed by the provider,
 * or by an operator for it.
 */
export const canConfirmHolder = (
  { checkAccount }: Pick<MobileMoney, 'checkAccount'>,
  name: MobileMoneyProviderName,
  { holder, checkedBy }: PaidAccount,
): boolean => holder === null || checkAccount !== undefined || checkedBy.includes(name);

/**
 * Asks the provider for an account that nobody was paid on before, and records its answer. Returns why
 * nothing is sent, or undefined where the payment may go. A provider that cannot answer now does not
 * keep the money, except where an operator has registered the holder: then it is not sent yet.
 */
async function refuseAccount(
  database: Database,
  asked: {
    readonly name: MobileMoneyProviderName;
    readonly port: Pick<MobileMoney, 'checkAccount'>;
    readonly account: PaidAccount;
    readonly payee: readonly PartyIdentifier[];
  },
): Promise<ProviderOutcome | undefined> {
  const { name, account } = asked;
  const { checkAccount } = asked.port;
  const { id, holder } = account;
  const [party] = asked.payee;
  if (id === null || !party) return undefined;
  if (account.checkedBy.includes(name)) return undefined;
  if (!checkAccount) {
    if (holder === null) return undefined;
    await recordUnconfirmed(database, account, [name]);
    return unconfirmed(CANNOT_TELL);
  }
  const said = await askAccount(database, { name, checkAccount, account: { id, holder }, party });
  if (said.kind === 'unknown')
    return holder === null
      ? undefined
      : unconfirmed(`The holder could not be asked for: ${said.message}`);
  const { state } = said;
  if (isPayable(state, holder)) return undefined;
  if (state === 'not-offered') return unconfirmed(CANNOT_TELL);
  log.warn('A payout account is not paid', { accountId: id, provider: name, state });
  return { kind: 'refused', code: state, message: refusals[state] ?? state, retryCanHelp: false };
}

const CANNOT_TELL = 'The provider cannot tell who holds the payout account.';
const unconfirmed = (message: string): ProviderOutcome => ({ kind: 'not-sent', message });

const refusals: Readonly<Partial<Record<PayoutAccountState, string>>> = {
  closed: 'The payout account of the merchant does not exist, or takes no money.',
  'name-differs': 'The payout account of the merchant belongs to somebody else.',
};

export function createPayoutAccountActivities({ database, mobileMoney }: ActivityDependencies) {
  /** Asks the providers for the current payout account of a merchant. */
  async function checkPayoutAccount(merchantId: number): Promise<AccountChecked> {
    const account = (await currentPayoutAccounts(database, [merchantId])).get(merchantId);
    if (!account) return { isPaid: false, problems: ['The merchant has no payout account'] };
    return withHeartbeat(() => askForAccount(database, mobileMoney, account));
  }

  return { checkPayoutAccount };
}

/**
 * Asks each provider that can tell for a payout account, and records what it says. Moves no money. An
 * account is paid if no provider refuses it and one may pay it, by the rule of payments.
 */
export async function askForAccount(
  database: Database,
  mobileMoney: Pick<ActivityDependencies['mobileMoney'], 'names' | 'named'>,
  account: PayoutAccount,
): Promise<AccountChecked> {
  const problems: string[] = [];
  let isRefused = false;
  for (const name of mobileMoney.names) {
    const { checkAccount } = mobileMoney.named(name);
    if (!checkAccount) continue;
    const said = await askAccount(database, { name, checkAccount, account, party: account });
    if (said.kind === 'unknown') problems.push(`${name} does not answer: ${said.message}`);
    else isRefused ||= said.state !== 'not-offered' && !isPayable(said.state, account.holder);
  }
  const payers = await payersOfAccount(database, account.id);
  const isPaid = account.holder === null || mobileMoney.names.some((name) => payers.includes(name));
  return { isPaid: isPaid && !isRefused, problems };
}

/** Asks a provider for an account, and records what it says. One that does not answer has no state. */
async function askAccount(
  database: Database,
  asked: {
    readonly name: MobileMoneyProviderName;
    readonly checkAccount: NonNullable<MobileMoney['checkAccount']>;
    readonly account: { readonly id: number; readonly holder: string | null };
    readonly party: PartyIdentifier;
  },
): Promise<
  | { readonly kind: 'said'; readonly state: PayoutAccountState }
  | { readonly kind: 'unknown'; readonly message: string }
> {
  const { name, checkAccount, account, party } = asked;
  const answer = await checkAccount(party);
  if (answer.kind === 'unknown') return answer;
  const state = payoutAccountState(answer, account.holder);
  const holder = answer.kind === 'open' ? answer.holder : null;
  await recordAccountCheck(database, { accountId: account.id, provider: name, state, holder });
  return { kind: 'said', state };
}
