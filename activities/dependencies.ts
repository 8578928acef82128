import type { Config } from '../src/config/config.ts';
import type { Digests } from '../src/crypto/digests.ts';
import type { SecretBox } from '../src/crypto/secret-box.ts';
import type { Database } from '../src/db/connection.ts';
import type { DayReport } from '../src/domain/day-report.ts';
import type { NumberBox } from '../src/domain/phone.ts';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
  SmsProviderName,
} from '../src/domain/providers.ts';
import type { OperationOutcome } from '../src/domain/refusals.ts';
import type { MonthlyStatement } from '../src/domain/statements.ts';
import type {
  MessageLanguage,
  MessageTexts,
  ReportedCode,
} from '../src/domain/vouchers/messages.ts';
import type { Airtime } from '../src/providers/airtime/airtime.ts';
import type { EmailAttachment, EmailSender } from '../src/providers/email.ts';
import type { MobileMoney } from '../src/providers/mobile-money/mobile-money.ts';
import type { ProviderSet } from '../src/providers/provider-set.ts';
import type { SmsSender } from '../src/providers/sms/sms-sender.ts';
import type { WebhookCaller } from '../src/providers/webhook-caller.ts';
import type { BackgroundTasks } from '../src/runtime/process/background-tasks.ts';
import type { Failpoint } from '../src/runtime/process/failpoint.ts';
import type { RedeemableVoucher, StartNames } from '../src/runtime/temporal/workflow-starts.ts';
import type {
  CaseName,
  RedeemCommand,
  RetryCall,
  ReverseRedemptionCommand,
  TopUpInput,
  TopUpMade,
} from '../workflows/contracts.ts';
import type { AccountAtProvider, BalanceAtProvider } from './compare-statement.ts';

/** The dependencies of activities. */
export interface ActivityDependencies {
  readonly database: Database;
  /** A replica for the whole check of the books, and for day reports. */
  readonly readDatabase?: Database;
  readonly digests: Digests;
  readonly secretBox: SecretBox;
  readonly numbers: NumberBox;
  readonly smsSenders: ProviderSet<SmsProviderName, SmsSender>;
  /** The texts of messages to owners; the service's own without them. */
  readonly messageTexts?: Readonly<Record<MessageLanguage, MessageTexts>>;
  readonly emailSender: EmailSender;
  /** A monthly statement as files. */
  readonly statementFiles: (statement: MonthlyStatement) => readonly EmailAttachment[];
  /** The report of a day as files. */
  readonly dayReportFiles: (report: DayReport) => readonly EmailAttachment[];
  readonly mobileMoney: ProviderSet<MobileMoneyProviderName, MobileMoney>;
  readonly airtime: ProviderSet<AirtimeProviderName, Airtime>;
  /** Our accounts at the providers of value. */
  readonly providerAccounts: readonly AccountAtProvider[];
  /** The accounts with a balance: those at the providers of value, and our credit at the providers of messages. */
  readonly balanceAccounts: readonly BalanceAtProvider[];
  readonly failpoint: Failpoint;
  readonly background: BackgroundTasks;
  readonly resumption: Resumption;
  readonly caseStarter: CaseStarter;
  readonly webhookCaller: WebhookCaller;
  readonly settings: Pick<
    Config,
    | 'http'
    | 'portal'
    | 'market'
    | 'vouchers'
    | 'topups'
    | 'repairs'
    | 'schedules'
    | 'webhooks'
    | 'providerGuard'
  >;
}

/** An orphaned message, and the voucher of its workflow. */
export interface LeftMessage extends RedeemableVoucher {
  readonly id: number;
  /** The claim, redemption or reversal that queued it. */
  readonly operationId: string;
}

/**
 * Starts a workflow for money on hold without a running one; it asks the provider before it sends.
 * A running workflow is not touched: its id is taken. All functions but the last four return whether a
 * workflow was started.
 */
export interface Resumption {
  resumeRedemption(
    voucher: RedeemableVoucher,
    command: RedeemCommand,
    names: StartNames,
  ): Promise<boolean>;
  resumeReversal(command: ReverseRedemptionCommand, names: StartNames): Promise<boolean>;
  resumeTopUp(workflowId: string, begin: TopUpInput['begin'], names: StartNames): Promise<boolean>;
  /** Starts a workflow for a message whose own workflow no longer runs. */
  resumeMessage(message: LeftMessage, names: StartNames): Promise<boolean>;
  /** Starts the workflow of a bulk order. */
  resumeBulkOrder(order: {
    readonly id: number;
    readonly operationId: string;
    readonly partnerId: number;
  }): Promise<boolean>;
  /**
   * Sends a retry to the workflow that waits for it, or to its successor. It is one operation, even if it is
   * sent repeatedly. Returns its outcome; undefined where it is not known in this time.
   */
  retryTopUp(call: RetryCall, waitMs: number): Promise<OperationOutcome<TopUpMade> | undefined>;
  /** Signals a changed top-up that waits for a retry; a completed workflow does not need it. */
  nudgeTopUp(workflowId: string): Promise<void>;
  /** Signals the redemption that a voucher is held for to ask its provider now. */
  nudgeRedemption(voucher: RedeemableVoucher): Promise<void>;
  /** Signals a reversal to ask its provider now. */
  nudgeReversal(
    pending: Pick<ReverseRedemptionCommand, 'redemptionId' | 'operationId'>,
  ): Promise<void>;
  /** Tells the workflow of a waiting claim the delivery report about its code, which the workflow shows. */
  tellCode(code: ReportedCode): Promise<void>;
}

/** Starts the workflows that show cases to people, one per case. */
export interface CaseStarter {
  /** Returns whether it was started: false where the case already has a running workflow. */
  start(name: CaseName, summary: string, names: StartNames): Promise<boolean>;
}
