import type { Logger } from 'pino';
import type { Digests } from '../crypto/digests.ts';
import type { Database } from '../db/connection.ts';
import type { NumberEvent, Slowing } from '../db/limits/daily-limits.ts';
import type { Money } from '../domain/money.ts';
import type { NumberBox, Operator } from '../domain/phone.ts';
import type { Route } from '../domain/providers.ts';
import type { AmountRange, TopupKind } from '../domain/topup.ts';
import type { Failpoint } from '../runtime/process/failpoint.ts';
import type { OperationWaits } from './workflow-client/operation-waits.ts';
import type { WorkflowClient } from './workflow-client/workflow-client.ts';

/** What the providers of a top-up are chosen by. */
interface RoutedTopup {
  readonly kind: TopupKind;
  readonly routes: readonly Route[];
  readonly operator: Operator | undefined;
  readonly providerProductId: number | null;
}

/** What generations and top-ups are checked by besides the database, as activities have it. */
export interface QuoteRules {
  readonly operatorLookup: (msisdn: string) => Promise<Operator | undefined>;
  /** Whether any provider of a top-up can send an amount. */
  readonly canCarry: (topup: RoutedTopup, amount: Money) => boolean;
  readonly topupRanges: Readonly<Record<Operator, AmountRange>>;
  /** Events of one phone number in a day; 0 is no limit. */
  readonly perNumberAndDay: Readonly<Record<NumberEvent, number>>;
  readonly servedCountries: readonly string[];
}

/** What the log line of a request names, so that its workflow and its rows are found. */
interface LoggedFacts {
  readonly operationId?: string;
  readonly workflowId?: string;
}

/** The dependencies of operations. */
export interface OperationServices {
  readonly database: Database;
  readonly workflows: WorkflowClient;
  readonly waits: OperationWaits;
  readonly digests: Digests;
  readonly numbers: NumberBox;
  readonly logger: Logger;
  readonly failpoint: Failpoint;
  readonly quoteRules: QuoteRules;
  /** Adds to the log line of the request that is being handled; absent where none is. */
  readonly noteInLog?: (facts: LoggedFacts) => void;
  readonly settings: {
    /** For companies that have spent their daily budget of wrong verification codes. */
    readonly slowing: Slowing;
  };
}
