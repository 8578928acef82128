import type { callbackProviders } from '../config/provider-settings.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { FenceWatch } from '../db/recovery.ts';
import type { MobileMoneyProviderName } from '../domain/providers.ts';
import type { OperationServices } from '../operations/run-once.ts';
import type { WebhookSettings } from '../operations/webhooks.ts';
import type { RepairLimits } from '../repairs/repair-kind.ts';
import type { Metrics } from '../runtime/metrics/metrics.ts';
import type { TemporalUi } from '../runtime/process/temporal-ui.ts';
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

/** Gives a hint within the limit of its subject; undefined where it was dropped. */
export type HintWithinLimit = <Result>(
  subject: string,
  hint: () => Promise<Result>,
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
  readonly hintWithinLimit: HintWithinLimit;
  readonly secretBox: SecretBox;
  readonly webhooks: WebhookSettings;
  /** Encrypts API keys that can be copied; undefined where none are kept. */
  readonly keyCopies: SecretBox | undefined;
  readonly settings: OperationServices['settings'] & {
    readonly environment: 'test' | 'production';
    /** Without a trailing slash. */
    readonly publicUrl: string;
    /** Where integrators reach the provider sandbox, without a trailing slash. */
    readonly sandboxUrl: string | undefined;
    /** A change of access takes effect within this time. */
    readonly accessCacheSeconds: number;
    readonly isTrustedProxy: AddressMatcher;
    /** Who may call back: about messages, payments and top-ups. */
    readonly callbacks: Readonly<Record<(typeof callbackProviders)[number], CallbackAccess>>;
    /** The secret that signs callbacks of Reloadly; undefined where there are none. */
    readonly reloadlyCallbackSecret: string | undefined;
    /** Pays where no route decides. */
    readonly defaultPayer: MobileMoneyProviderName;
    readonly reversalWatchSeconds: number;
    /** Where workflows are shown to staff. */
    readonly temporalUi: TemporalUi;
    /** Of the workers: a part of the ids of some workflows. */
    readonly taskQueue: string;
    readonly repairs: RepairLimits;
    /** The folder of promo images; undefined where there is none. */
    readonly promoImageFolder: string | undefined;
  };
}
