import { activityInfo, log } from '@temporalio/activity';
import {
  currentPayoutAccounts,
  type PaidAccount,
  type PayoutAccount,
  payersOfAccount,
  recordAccountCheck,
  recordUnconfirmed,
} from '../src/db/catalogue/payout-accounts.ts';
import { allRows, type Database } from '../src/db/connection.ts';
import { findChoice, type Placed, switchProvider } from '../src/db/positions/placements.ts';
import { noteOpen, type OrderAtProvider } from '../src/db/positions/sendings.ts';
import { parseMoney } from '../src/domain/money.ts';
import {
  type AccountChecked,
  isPayable,
  type PayoutAccountState,
  payoutAccountState,
} from '../src/domain/payout-account.ts';
import { operatorOf } from '../src/domain/phone.ts';
import type { Said } from '../src/domain/positions/placement.ts';
import {
  type MobileMoneyProviderName,
  providersFor,
  type Route,
  type SmsProviderName,
} from '../src/domain/providers.ts';
import type { MobileMoney, PartyIdentifier } from '../src/providers/mobile-money/mobile-money.ts';
import { type ProviderInquiry, type ProviderOutcome, unknown } from '../src/providers/outcome.ts';
import { choiceFor, type ProviderSet } from '../src/providers/provider-set.ts';
import type { SmsMessage } from '../src/providers/sms/sms-sender.ts';
import type { AskedProviders, Sending } from '../workflows/steps/waiting.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './provider-call.ts';
import { orSettledByHand, type SaidInquiry } from './repairs.ts';

/**
 * Whether nothing can have been sent before: the workflow says so, and no earlier attempt of the activity has begun.
 * If something may have been sent, the outcome is recorded as unknown first. An earlier attempt that still runs, although
 * Temporal holds it for lost, sees this and does not go to another provider.
 */
export const isFirstSending = (isFirst: boolean): boolean =>
  isFirst && activityInfo().attempt === 1;

/**
 * Asks the provider of a row. A provider that is no longer configured says nothing: its operations
 * are settled by hand, and keep no others waiting.
 */
export async function askProvider<Name extends string, Port>(
  set: Pick<ProviderSet<Name, Port>, 'names' | 'named'>,
  provider: string,
  ask: (port: Port) => Promise<ProviderInquiry>,
): Promise<ProviderInquiry> {
  const name = set.names.find((one) => one === provider);
  return name === undefined
    ? unknown(`The provider ${provider} is no longer configured.`)
    : ask(set.named(name));
}

/** An order at a provider, and the id under which the provider has taken it; null where the provider told none. */
interface TakenOrder extends OrderAtProvider {
  readonly takenAs: string | null;
}

/** Sends an order, unless its provider is known to have taken it. Notes an open answer before any other step can lose it. */
export async function sendUnlessTaken(
  database: Database,
  order: TakenOrder,
  send: () => Promise<ProviderOutcome>,
): Promise<ProviderOutcome> {
  if (order.takenAs !== null)
    return unknown('The provider took it before, and only an inquiry tells more.');
  const outcome = await send();
  if (outcome.kind === 'unknown') await noteOpen(database, order, outcome);
  return outcome;
}

/**
 * Asks a provider for the outcome of an order, by the id of the provider where the id is known. The provider has seen an
 * order that it took, although it does not list it now: a list may lack an order that is under way, or has failed.
 */
export async function askByTakenId(
  database: Database,
  order: TakenOrder,
  find: (takenAs: string | undefined) => Promise<ProviderInquiry>,
): Promise<ProviderInquiry> {
  const { takenAs, reference } = order;
  const found = await find(takenAs ?? undefined);
  // Our own reference stands for an id that the provider did not tell.
  const lacksId = takenAs === null || takenAs === reference;
  if (found.kind === 'unknown' && lacksId && (found.takenAs ?? takenAs) !== takenAs)
    await noteOpen(database, order, found);
  return found.kind === 'never-seen' && takenAs !== null
    ? unknown('The provider took it before, and does not find it now.')
    : found;
}

/** An order to send, and its first provider. */
interface Sent<Name extends string, Port> {
  readonly placed: Placed;
  readonly set: ProviderSet<Name, Port>;
  /** Its present provider, and the providers that were asked before. */
  readonly row: TakenOrder & { readonly provider: Name } & Pick<AskedProviders, 'failovers'>;
  /** Nothing can have been sent for the operation before: only then another provider may be asked. */
  readonly isFirst: boolean;
  readonly send: (port: Port, name: Name) => Promise<ProviderOutcome>;
  /** Whether another provider can do it. */
  readonly canServe?: (port: Port, name: Name) => boolean;
}

/** The common port of payments and top-ups. */
interface ValuePort {
  readonly repetition: 'safe' | 'later' | 'never';
  canCarry(amount: string): boolean;
}

/**
 * Sends value, and asks the next provider where it did not reach the first. A refusal stays with
 * the provider that refused: it may still do it later, and only the present provider is asked
 * about that. The next provider is recorded before it is called, so that after a crash the inquiry
 * goes to a provider that may have got the order.
 */
export async function sendOrFailOver<Name extends string, Port extends ValuePort>(
  dependencies: ActivityDependencies,
  sent: Sent<Name, Port>,
): Promise<Sending<ProviderOutcome> & { readonly asked: AskedProviders }> {
  let { provider, takenAs } = sent.row;
  const failovers = [...sent.row.failovers];
  for (;;) {
    const port = sent.set.named(provider);
    const outcome = await sendUnlessTaken(
      dependencies.database,
      { reference: sent.row.reference, provider, takenAs },
      () => sent.send(port, provider),
    );
    const answer = { ...outcome, asked: { provider, failovers }, isFirst: sent.isFirst };
    if (!isFirstSending(sent.isFirst) || outcome.kind !== 'not-sent') return answer;
    const next = await nextProvider(dependencies, sent, provider);
    if (next === undefined) return answer;
    const switched = {
      from: provider,
      to: next,
      message: outcome.message,
      // A provider that never says "never seen" would be asked in vain.
      isAskedLater: sent.set.named(provider).repetition !== 'never',
    };
    if (!(await switchProvider(dependencies.database, sent.placed, switched))) return answer;
    log.warn('A provider did nothing, and the next one is asked', { from: provider, to: next });
    failovers.push({ from: provider, message: outcome.message });
    provider = next;
    takenAs = null;
  }
}

/** The first provider that was not asked yet, can carry it, and takes calls now. */
async function nextProvider<Name extends string, Port extends ValuePort>(
  { database, digests }: ActivityDependencies,
  { placed, set, canServe = () => true }: Sent<Name, Port>,
  current: Name,
): Promise<Name | undefined> {
  const wanted = await findChoice(database, placed);
  if (!wanted) return undefined;
  const choice = choiceFor(set, {
    kind: wanted.kind,
    routes: wanted.routes,
    operator: wanted.operator ?? operatorOf(wanted.payeeNumber ?? ''),
    canServe: (port, _amount, name) => canServe(port, name),
    shareOf: (routeId) => digests.routeShare(placed.operationId, routeId),
  });
  return choice
    .candidates(parseMoney(wanted.amount))
    .find((name) => name !== current && !wanted.asked.includes(name) && set.isAvailable(name));
}

/** The outcome of a message, and who was asked: the last one, and those before. */
interface RoutedOutcome {
  readonly outcome: ProviderOutcome;
  readonly asked: AskedProviders & { readonly provider: SmsProviderName };
  /** Not sent, and no provider that may send it takes calls now. */
  readonly isHopeless: boolean;
}

/** How a text message finds its provider. */
interface MessageRoute {
  readonly routes: readonly Route[];
  /** The seed of the shares of providers. */
  readonly share: string;
  /** Records that the next provider is asked, before it is called. */
  readonly noteFailover: (failover: MessageFailover) => Promise<unknown>;
}

/** A provider that certainly did nothing, and the next one. */
interface MessageFailover {
  readonly from: SmsProviderName;
  readonly to: SmsProviderName;
  readonly message: string;
}

/**
 * Sends a message by its first provider, and by the next one where that certainly did nothing. A
 * message whose sending is interrupted is never sent again, so a crash in between loses it at most.
 */
export async function sendByRoutes(
  dependencies: Pick<ActivityDependencies, 'smsSenders' | 'digests'>,
  { routes, share, noteFailover }: MessageRoute,
  message: SmsMessage,
): Promise<RoutedOutcome> {
  const { smsSenders, digests } = dependencies;
  const candidates = providersFor(
    routes,
    {
      kind: 'sms',
      operator: operatorOf(message.to),
      amount: undefined,
      shareOf: (routeId) => digests.routeShare(share, routeId),
    },
    smsSenders,
  );
  const available = candidates.filter((name) => smsSenders.isAvailable(name));
  let [provider, ...others] = available.length > 0 ? available : candidates;
  const failovers: { from: string; message: string }[] = [];
  if (provider === undefined) throw new Error('No provider sends messages');
  for (;;) {
    const outcome = await smsSenders.named(provider).send(message);
    const next = others.shift();
    if (next === undefined || !mayAnotherSendMessage(outcome)) {
      const isHopeless =
        outcome.kind === 'not-sent' && !candidates.some((name) => smsSenders.isAvailable(name));
      return { outcome, asked: { provider, failovers }, isHopeless };
    }
    await noteFailover({ from: provider, to: next, message: outcome.message });
    failovers.push({ from: provider, message: outcome.message });
    provider = next;
  }
}

/**
 * Whether another provider may send a message. The call was not sent, or refused for a reason of the provider.
 */
const mayAnotherSendMessage = (
  outcome: ProviderOutcome,
): outcome is Extract<ProviderOutcome, { kind: 'not-sent' | 'refused' }> =>
  outcome.kind === 'not-sent' ||
  (outcome.kind === 'refused' && (outcome.retryCanHelp || outcome.anotherMayTake === true));

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
 * Asks the provider for an account before its first payment there, and records the answer. Returns
 * why nothing is sent, or undefined where the payment may go. A provider that cannot answer now
 * does not keep the money, except where an operator has registered the holder: then it is not sent
 * yet.
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

/**
 * Asks a provider for an account, and records what it says. A provider that does not answer has no
 * state.
 */
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

interface Other {
  readonly provider: string;
  readonly isCurrent: boolean;
  readonly said: Said;
  readonly isDone: boolean;
  readonly providerReference: string | null;
}

/**
 * What a workflow may conclude from the answer of the present provider. An order is done if any
 * provider has done it by now. It is not refused while another provider may have done it.
 */
export async function withOtherPlacements<Found extends ProviderOutcome | ProviderInquiry>(
  database: Database,
  operationId: string,
  found: Found,
  asked: { readonly failovers: readonly unknown[] },
): Promise<Found | ProviderOutcome> {
  const isPlain =
    found.kind === 'delivered' || (found.kind === 'refused' && asked.failovers.length === 0);
  if (isPlain || (found.kind === 'not-sent' && asked.failovers.length === 0)) return found;
  const rows = await allRows<Other>(database)`
    select provider, position = max(position) over () as "isCurrent", said, done > 0 as "isDone",
      provider_reference as "providerReference"
    from placements where operation_id = ${operationId} and kind <> 'reversal'`;
  const isOver = found.kind === 'refused' || found.kind === 'not-sent';
  const done = rows.find(({ isDone, isCurrent }) => isDone && !(isCurrent && isOver));
  if (done) return { kind: 'delivered', providerReference: done.providerReference ?? '' };
  const open = rows.find(
    ({ said, isCurrent }) => !isCurrent && (said === 'pending' || said === 'other'),
  );
  if (!open) return found;
  const { provider: at } = open;
  return { ...unknown(`${at} has not said clearly what it did.`), ...(isOver && { at }) };
}

/**
 * The same of an inquiry. A person may have settled by hand what the providers leave open: the present one, or an earlier
 * one whose answer is not clear.
 */
export const afterInquiry = async (
  database: Database,
  operationId: string,
  answer: ProviderInquiry,
  asked: { readonly failovers: readonly unknown[] },
): Promise<SaidInquiry> =>
  orSettledByHand(
    database,
    operationId,
    await withOtherPlacements(database, operationId, answer, asked),
  );
