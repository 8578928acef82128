import type { Digests } from '../src/crypto/digests.ts';
import type { SecretBox } from '../src/crypto/secret-box.ts';
import type { Database } from '../src/db/connection.ts';
import type { NumberEvent } from '../src/db/limits/daily-limits.ts';
import type { ReminderTimes } from '../src/db/messages/abandoned-messages.ts';
import type { DayReport } from '../src/domain/day-report.ts';
import type { RetryPauses } from '../src/domain/events.ts';
import type { Money } from '../src/domain/money.ts';
import type { NumberBox, Operator } from '../src/domain/phone.ts';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
  SmsProviderName,
} from '../src/domain/providers.ts';
import type { MonthlyStatement } from '../src/domain/statements.ts';
import type { AmountRange } from '../src/domain/topup.ts';
import type { MessageLanguage, MessageTexts } from '../src/domain/vouchers/messages.ts';
import type { Airtime, OperatorLookup } from '../src/providers/airtime/airtime.ts';
import type { EmailAttachment, EmailSender } from '../src/providers/email.ts';
import type { MobileMoney } from '../src/providers/mobile-money/mobile-money.ts';
import type { ProviderSet } from '../src/providers/provider-set.ts';
import type { SmsSender } from '../src/providers/sms/sms-sender.ts';
import type { WebhookCaller } from '../src/providers/webhook-caller.ts';
import type { RepairLimits } from '../src/repairs/repair-kind.ts';
import type { BackgroundTasks } from '../src/runtime/process/background-tasks.ts';
import type { Failpoint } from '../src/runtime/process/failpoint.ts';
import type {
  AccountAtProvider,
  BalanceAtProvider,
  ComparisonSettings,
} from './compare-statement.ts';
import type { CaseStarter, Resumption } from './workflow-starters.ts';

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
  /** The same, and our credit at the providers of messages. */
  readonly balanceAccounts: readonly BalanceAtProvider[];
  readonly operatorLookup: OperatorLookup;
  /** The public address for links in messages, without a trailing slash. */
  readonly publicUrl: string;
  readonly failpoint: Failpoint;
  readonly background: BackgroundTasks;
  readonly resumption: Resumption;
  readonly caseStarter: CaseStarter;
  readonly webhookCaller: WebhookCaller;
  readonly webhooks: RetryPauses & {
    /** Concurrent calls to one receiver. */
    readonly callsPerEndpoint: number;
    /** Time without a success after which a failing webhook is switched off. */
    readonly switchOffSeconds: number;
  };
  readonly limits: {
    readonly voucherValidityDays: number;
    readonly wrongCodesPerDay: number;
    readonly wrongCodesBeforeLongCodes: number;
    readonly wrongCodesPerCompanyAndDay: number;
    readonly messagesPerCompanyAndDay: number;
    readonly servedCountries: readonly string[];
    readonly redemptionMinimum: Money;
    readonly partialRedemptionsPerVoucher: number;
    readonly reminders: ReminderTimes;
    readonly statements: {
      /** The time zone of months and days: an IANA name. */
      readonly zone: string;
      /** Pause before a statement or report that was not sent is tried again. */
      readonly retrySeconds: number;
    };
    readonly providerStatements: ComparisonSettings & {
      /** The time zone of days: an IANA name. */
      readonly zone: string;
      /** Days back for which a statement is asked for. */
      readonly days: number;
      /** Days after which a statement that only a person can give as a file is missed. */
      readonly fileDays: number;
      /** Pause before a statement that could not be read is tried again, and how often it is. */
      readonly retrySeconds: number;
      readonly maximumTries: number;
    };
    readonly messageCooldownSeconds: number;
    readonly messagesPerNumberAndDay: number;
    /** Longest sending of a message by one provider. */
    readonly messageSendingSeconds: number;
    /** Longest sending of an e-mail. */
    readonly emailSendingSeconds: number;
    readonly refusedMessagesPerNumberAndHour: number;
    /** 0 keeps numbers. */
    readonly messageRetentionDays: number;
    readonly numberRetentionDays: number;
    /** Events of one phone number in a day; 0 is no limit. */
    readonly perNumberAndDay: Readonly<Record<NumberEvent, number>>;
    readonly topupRanges: Readonly<Record<Operator, AmountRange>>;
    readonly topupStartSeconds: number;
    /** Whether the signal `retry` makes one more attempt. */
    readonly supportRetrySignal: boolean;
    readonly reversalWatchSeconds: number;
    /** Time after a payment within which a merchant may reverse it; 0: never. */
    readonly reversalWindowSeconds: number;
    readonly repairs: RepairLimits;
  };
}
