import type { Config } from '../config/config.ts';
import type { callbackProviders } from '../config/settings/provider-settings.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { FenceWatch } from '../db/recovery.ts';
import type { OperationServices } from '../operations/run-once.ts';
import type { Metrics } from '../runtime/metrics/metrics.ts';
import type { AccessDirectory, ApiKeyLookup } from './access/access-directory.ts';
import type { AccessTokens } from './access/access-token.ts';
import type { AddressMatcher } from './access/source-address.ts';
import type { CallRecorder } from './call-log.ts';
import type { RateLimits, VoucherGuessLimit } from './limits/rate-limits.ts';
import type { ListReader } from './lists/list-query.ts';

/** Who may call back: callbacks are not signed. */
export interface CallbackAccess {
  /** The secret path segment; empty where there is none. */
  readonly secret: string;
  readonly isAddress: AddressMatcher;
}

/** Gives a nudge within the limit of its subject; undefined where it was dropped. */
export type NudgeWithinLimit = <Result>(
  subject: string,
  nudge: () => Promise<Result>,
) => Promise<Result | undefined>;

/** The dependencies of handlers; the entry point of a process assembles them. */
export interface Services extends OperationServices {
  readonly lists: ListReader;
  /** Whether the service may only read, because its database was restored. */
  readonly fence: Pick<FenceWatch, 'isFenced'>;
  readonly apiKeys: ApiKeyLookup;
  readonly accessTokens: AccessTokens;
  readonly accessDirectory: AccessDirectory;
  readonly calls: CallRecorder;
  readonly metrics: Metrics;
  readonly rateLimits: RateLimits;
  readonly guesses: VoucherGuessLimit;
  /** Lets a limited number of callbacks about an operation reach its workflow. */
  readonly nudgeWithinLimit: NudgeWithinLimit;
  readonly secretBox: SecretBox;
  /** Encrypts API keys that can be copied; undefined where none are kept. */
  readonly keyCopies: SecretBox | undefined;
  /** Whether an address is that of a proxy whose `X-Forwarded-For` counts. */
  readonly isTrustedProxy: AddressMatcher;
  /** Who may call back: about messages, payments and top-ups. */
  readonly callbackAccess: Readonly<Record<(typeof callbackProviders)[number], CallbackAccess>>;
  readonly settings: HandlerSettings;
}

/** The settings of handlers and operations; those of providers and all other secrets stay outside. */
type HandlerSettings = OperationServices['settings'] &
  Pick<
    Config,
    | 'process'
    | 'temporal'
    | 'access'
    | 'portal'
    | 'webhooks'
    | 'repairs'
    | 'callbacks'
    | 'defaultProviders'
  >;
