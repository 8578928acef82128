import type { Logger } from 'pino';
import type { Digests } from '../crypto/digests.js';
import type { SecretBox } from '../crypto/secret-box.js';
import type { Slowing } from '../db/company-daily-counts.js';
import type { Database } from '../db/connection.js';
import type { Failpoint } from '../failpoint.js';
import type { AccessDirectory } from './access-directory.js';
import type { AccessTokens } from './access-token.js';
import type { ApiKeyLookup } from './api-key-lookup.js';
import type { CallRecorder } from './call-recorder.js';
import type { ListReader } from './list-reader.js';
import type { OperationWaits } from './operation-waits.js';
import type { RateLimits } from './rate-limits.js';
import type { AddressMatcher } from './source-address.js';
import type { VoucherGuesses } from './voucher-guesses.js';
import type { WorkflowCalls } from './workflow-calls.js';

/** What handlers work with; put together where a process starts. */
export interface Services {
  readonly database: Database;
  readonly lists: ListReader;
  readonly workflows: WorkflowCalls;
  readonly waits: OperationWaits;
  readonly apiKeys: ApiKeyLookup;
  readonly accessTokens: AccessTokens;
  readonly accessDirectory: AccessDirectory;
  readonly calls: CallRecorder;
  readonly rateLimits: RateLimits;
  readonly guesses: VoucherGuesses;
  readonly digests: Digests;
  readonly secretBox: SecretBox;
  /** What API keys that can be copied are sealed with; undefined where none are kept. */
  readonly keyCopies: SecretBox | undefined;
  readonly logger: Logger;
  readonly failpoint: Failpoint;
  readonly settings: {
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
    /** Of companies that have spent their wrong verification codes of the day. */
    readonly slowing: Slowing;
    /** Whether a provider calls back from this address. */
    readonly isCallbackAddress: AddressMatcher;
    /** The end of the path that a provider calls back under; empty where there is none. */
    readonly callbackSecret: string;
    readonly reversalWatchSeconds: number;
  };
}
