import type { SecretBox } from '../crypto/secret-box.js';
import type { OperationServices } from '../operations/services.js';
import type { AccessDirectory } from './access/access-directory.js';
import type { AccessTokens } from './access/access-token.js';
import type { ApiKeyLookup } from './access/api-key-lookup.js';
import type { AddressMatcher } from './access/source-address.js';
import type { CallRecorder } from './call-log/call-recorder.js';
import type { RateLimits } from './limits/rate-limits.js';
import type { VoucherGuessLimit } from './limits/voucher-guess-limit.js';
import type { ListReader } from './lists/list-reader.js';

/** What handlers work with; put together where a process starts. */
export interface Services extends OperationServices {
  readonly lists: ListReader;
  readonly apiKeys: ApiKeyLookup;
  readonly accessTokens: AccessTokens;
  readonly accessDirectory: AccessDirectory;
  readonly calls: CallRecorder;
  readonly rateLimits: RateLimits;
  readonly guesses: VoucherGuessLimit;
  readonly secretBox: SecretBox;
  /** What API keys that can be copied are sealed with; undefined where none are kept. */
  readonly keyCopies: SecretBox | undefined;
  readonly settings: OperationServices['settings'] & {
    readonly environment: 'test' | 'production';
    /** Without a slash at its end. */
    readonly publicUrl: string;
    readonly bodyLimitBytes: number;
    readonly signatureWindowSeconds: number;
    /** Within so many seconds a change of access counts. */
    readonly accessCacheSeconds: number;
    readonly isTrustedProxy: AddressMatcher;
    /** ISO 3166-1 alpha-2; messages go to numbers of no other. */
    readonly servedCountries: readonly string[];
    /** Whether a provider calls back from this address. */
    readonly isCallbackAddress: AddressMatcher;
    /** The end of the path that a provider calls back under; empty where there is none. */
    readonly callbackSecret: string;
    readonly reversalWatchSeconds: number;
    /** Where the images of promos are; undefined where there are none. */
    readonly promoImageFolder: string | undefined;
  };
}
