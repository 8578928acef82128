import type { SecretBox } from '../crypto/secret-box.js';
import type { FenceWatch } from '../db/recovery/fence-watch.js';
import type { MobileMoneyProviderName } from '../domain/providers/provider-names.js';
import type { OperationServices } from '../operations/services.js';
import type { WebhookSettings } from '../operations/webhooks.js';
import type { Metrics } from '../process/metrics/metrics.js';
import type { TemporalUi } from '../process/temporal-ui.js';
import type { RepairLimits } from '../repairs/repair-kind.js';
import type { AccessDirectory } from './access/access-directory.js';
import type { AccessTokens } from './access/access-token.js';
import type { ApiKeyLookup } from './access/api-key-lookup.js';
import type { AddressMatcher } from './access/source-address.js';
import type { CallRecorder } from './call-log/call-recorder.js';
import type { RateLimits } from './limits/rate-limits.js';
import type { VoucherGuessLimit } from './limits/voucher-guess-limit.js';
import type { ListReader } from './lists/list-reader.js';

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
    readonly bodyLimitBytes: number;
    readonly signatureWindowSeconds: number;
    /** A change of access takes effect within this time. */
    readonly accessCacheSeconds: number;
    readonly isTrustedProxy: AddressMatcher;
    /** ISO 3166-1 alpha-2 codes; the service sends messages to no other countries. */
    readonly servedCountries: readonly string[];
    /** Who may call back about top-ups. */
    readonly airtimeCallbacks: CallbackAccess;
    /** Who may report what became of messages. */
    readonly smsCallbacks: CallbackAccess;
    /** The secret that signs callbacks of Reloadly; undefined where there are none. */
    readonly reloadlyCallbackSecret: string | undefined;
    /** Pays where no route decides. */
    readonly defaultPayer: MobileMoneyProviderName;
    /** Who may call back about payments. */
    readonly paymentCallbacks: Readonly<Record<'gsma' | 'mpesa', CallbackAccess>>;
    readonly reversalWatchSeconds: number;
    /** Where workflows are shown to staff. */
    readonly temporalUi: TemporalUi;
    readonly repairs: RepairLimits;
    /** The folder of promo images; undefined where there is none. */
    readonly promoImageFolder: string | undefined;
  };
}
