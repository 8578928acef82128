import type { Config } from '../config/config.ts';
import { formatAmount, type Money } from '../domain/money.ts';
import {
  type AirtimeProviderName,
  type MobileMoneyProviderName,
  type ProviderName,
  providersFor,
  type Route,
  type Routed,
  type SmsProviderName,
} from '../domain/providers.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import type { Airtime } from './airtime/airtime.ts';
import { createSmtp, type EmailSender } from './email.ts';
import type { MobileMoney } from './mobile-money/mobile-money.ts';
import type { MpesaResults } from './mobile-money/mpesa/transformers.ts';
import {
  africasTalkingOfSettings,
  dtOneOfSettings,
  gsmaOfSettings,
  mpesaOfSettings,
  type ProviderSettings,
  reloadlyOfSettings,
  smppOfSettings,
} from './of-settings.ts';
import type { SmppSender } from './sms/smpp/client.ts';
import type { SmsSender } from './sms/sms-sender.ts';
import type { ProviderAccount } from './statement.ts';

/** The configured providers of one kind. */
export interface ProviderSet<Name extends string, Port> {
  /** Serves what no route decides. */
  readonly defaultName: Name;
  /** The default first. */
  readonly names: readonly Name[];
  /**
   * The provider of a row.
   *
   * @throws where it is not, or no longer, configured
   */
  named(name: Name): Port;
  /** Whether it takes calls now: its circuit breaker is not open. */
  isAvailable(name: Name): boolean;
  /** Whether our account with it has money, as far as is known: it refused nothing for lack of it lately. */
  hasMoney(name: Name): boolean;
}

/**
 * Makes a set of the providers that are configured.
 *
 * @throws {ProviderNotConfigured} where the default is not
 */
export function createProviderSet<Name extends string, Port>(
  providers: Ports<Name, Port>,
  defaultName: NoInfer<Name>,
): ProviderSet<Name, Port> {
  const isConfigured = (name: Name) => providers[name] !== undefined;
  const others = (Object.keys(providers) as Name[]).filter((name) => name !== defaultName);
  const named = (name: Name): Port => {
    const port = providers[name];
    if (port === undefined) throw new ProviderNotConfigured(name);
    return port;
  };
  named(defaultName);
  return {
    defaultName,
    names: [defaultName, ...others.filter(isConfigured)],
    named,
    isAvailable: () => true,
    hasMoney: () => true,
  };
}

/** A row or the settings name a provider whose address is not set. */
export class ProviderNotConfigured extends Error {
  override readonly name = 'ProviderNotConfigured';

  readonly provider: string;

  constructor(provider: string) {
    super(`The provider ${provider} is not configured`);
    this.provider = provider;
  }
}

/** A provider behind a guard, and whether that lets calls through. */
export interface GuardedProvider<Port> {
  readonly port: Port;
  readonly isAvailable: () => boolean;
  readonly hasMoney: () => boolean;
}

/** The same set, each provider behind what `wrap` makes of it. */
export function wrapProviders<Name extends string, Port>(
  set: ProviderSet<Name, Port>,
  wrap: (port: Port, name: Name) => GuardedProvider<Port>,
): ProviderSet<Name, Port> {
  const wrapped = new Map(set.names.map((name) => [name, wrap(set.named(name), name)]));
  return {
    ...set,
    isAvailable: (name) => wrapped.get(name)?.isAvailable() ?? false,
    hasMoney: (name) => wrapped.get(name)?.hasMoney() ?? false,
    named(name) {
      const port = wrapped.get(name)?.port;
      if (port === undefined) throw new ProviderNotConfigured(name);
      return port;
    },
  };
}

/** The providers that may carry one operation out. */
export interface ProviderChoice<Name extends string> {
  /** Those that can carry an amount, the first to be asked first. */
  candidates(amount: Money): Name[];
  /**
   * The first of them that takes calls now, of those with money where there is one; or why nothing is to
   * be held. Where somebody wants a certain one, it is that or none.
   */
  choose(
    amount: Money,
    wanted?: string | null,
  ): { readonly ok: true; readonly provider: Name } | Refusal;
}

/** The choice for one operation; a repetition makes the same choice while routes do not change. */
export function choiceFor<Name extends string, Port extends { canCarry(amount: string): boolean }>(
  set: ProviderSet<Name, Port>,
  {
    routes,
    canServe = () => true,
    ...routed
  }: Omit<Routed, 'amount'> & {
    readonly routes: readonly Route[];
    /** The condition that the provider must also meet. */
    readonly canServe?: (port: Port, amount: Money, name: Name) => boolean;
  },
): ProviderChoice<Name> {
  const candidates = (amount: Money) =>
    providersFor(routes, { ...routed, amount }, set).filter((name) => {
      const port = set.named(name);
      return port.canCarry(formatAmount(amount)) && canServe(port, amount, name);
    });
  return {
    candidates,
    choose(amount, wanted = null) {
      const able = candidates(amount).filter((name) => wanted === null || name === wanted);
      if (wanted !== null && able.length === 0) return doesNotServe(wanted);
      const available = able.filter((name) => set.isAvailable(name));
      const provider = available.find((name) => set.hasMoney(name)) ?? available[0];
      return provider === undefined ? outOfOrder : { ok: true, provider };
    },
  };
}

const doesNotServe = (wanted: string) =>
  refuse('unavailable', {
    detail: `${wanted} does not serve it, and nothing was held or sent; the routes decide where none is named`,
    retryAfterSeconds: 5,
  });

const outOfOrder = refuse('unavailable', {
  detail: 'the provider is out of order, and nothing was held or sent',
  retryAfterSeconds: 5,
});

/** The adapters of a kind by their names; undefined where the settings do not configure them. */
type Ports<Name extends string, Port> = Readonly<Record<Name, Port | undefined>>;

/**
 * One row per SMS provider. CONTRIBUTING.md, "Add a provider", is the recipe for all kinds. A process that hears what
 * comes over the session with the SMSC has made that session itself.
 */
const smsPorts = (
  settings: ProviderSettings,
  smpp: SmppSender | undefined = smppOfSettings(settings),
): Ports<SmsProviderName, SmsSender> => ({
  'africas-talking': africasTalkingOfSettings(settings),
  smpp,
});

/** Time limit of sending one e-mail. */
export const EMAIL_TIMEOUT_SECONDS = 10;

/** One row per mobile-money provider. */
const mobileMoneyPorts = (
  settings: ProviderSettings,
  mpesaResults?: MpesaResults,
): Ports<MobileMoneyProviderName, MobileMoney> => ({
  gsma: gsmaOfSettings(settings),
  mpesa: mpesaOfSettings(settings, mpesaResults),
});

/** One row per provider of airtime and packages. */
const airtimePorts = (settings: ProviderSettings): Ports<AirtimeProviderName, Airtime> => ({
  'dt-one': dtOneOfSettings(settings),
  reloadly: reloadlyOfSettings(settings),
});

/** The adapters, and which of them serves where no route decides. */
type SetSettings = ProviderSettings & Pick<Config, 'defaultProviders'>;

/** The SMS senders that the settings configure. */
export const createSmsSenders = (
  settings: SetSettings,
  smpp?: SmppSender,
): ProviderSet<SmsProviderName, SmsSender> =>
  createProviderSet(smsPorts(settings, smpp), settings.defaultProviders.smsProvider);

/** The e-mail sender of the settings. */
export const createEmailSender = ({ smtpUrl, emailFrom }: Config['email']): EmailSender =>
  createSmtp({
    url: smtpUrl,
    from: emailFrom,
    timeoutSeconds: EMAIL_TIMEOUT_SECONDS,
  });

/** The mobile-money providers that the settings configure. */
export const createMobileMoneySet = (
  settings: SetSettings,
  mpesaResults?: MpesaResults,
): ProviderSet<MobileMoneyProviderName, MobileMoney> =>
  createProviderSet(
    mobileMoneyPorts(settings, mpesaResults),
    settings.defaultProviders.mobileMoneyProvider,
  );

/** The providers of airtime and packages that the settings configure. */
export const createAirtimeSet = (
  settings: SetSettings,
): ProviderSet<AirtimeProviderName, Airtime> =>
  createProviderSet(airtimePorts(settings), settings.defaultProviders.airtimeProvider);

/** The adapters of all providers by their names; undefined where the settings do not configure them. */
export const allPorts = (
  settings: ProviderSettings,
): Ports<ProviderName, Pick<SmsSender, 'balance' | 'check' | 'close'>> => ({
  ...smsPorts(settings),
  ...mobileMoneyPorts(settings),
  ...airtimePorts(settings),
});

/** Whether a provider accepts our login, in words for an operator. */
interface CheckedProvider {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Logs in to a provider, asks for our balance where it tells one, and makes its own check. Moves and
 * sends nothing.
 */
export async function checkProvider({
  balance,
  check,
}: Pick<ProviderAccount, 'balance' | 'check'>): Promise<CheckedProvider> {
  const found = await balance?.();
  if (found?.kind === 'unknown') return { ok: false, detail: found.message };
  const reason = await check?.();
  if (reason !== undefined) return { ok: false, detail: reason };
  if (found) return { ok: true, detail: `logged in, balance ${found.currency} ${found.amount}` };
  return {
    ok: true,
    detail: check ? 'logged in; it tells no balance' : 'configured; it has no check',
  };
}
