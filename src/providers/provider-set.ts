/** The configured providers of one kind. */
export interface ProviderSet<Name extends string, Port> {
  /** Serves what no route decides. */
  readonly defaultName: Name;
  /** The default first. */
  readonly names: readonly Name[];
  /**
   * The provider of a row; null is the default.
   *
   * @throws where it is not, or no longer, configured
   */
  named(name: Name | null): Port;
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
  providers: Readonly<Record<Name, Port | undefined>>,
  defaultName: NoInfer<Name>,
): ProviderSet<Name, Port> {
  const isConfigured = (name: Name) => providers[name] !== undefined;
  const others = (Object.keys(providers) as Name[]).filter((name) => name !== defaultName);
  const named = (name: Name | null): Port => {
    const port = providers[name ?? defaultName];
    if (port === undefined) throw new ProviderNotConfigured(name ?? defaultName);
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
      const port = wrapped.get(name ?? set.defaultName)?.port;
      if (port === undefined) throw new ProviderNotConfigured(name ?? set.defaultName);
      return port;
    },
  };
}
