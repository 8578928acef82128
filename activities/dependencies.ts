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
import type { MonthlyStatement } from '../src/domain/statements.ts';
import type { MessageLanguage, MessageTexts } from '../src/domain/vouchers/messages.ts';
import type { Airtime } from '../src/providers/airtime/airtime.ts';
import type { EmailAttachment, EmailSender } from '../src/providers/email.ts';
import type { MobileMoney } from '../src/providers/mobile-money/mobile-money.ts';
import type { ProviderSet } from '../src/providers/provider-set.ts';
import type { SmsSender } from '../src/providers/sms/sms-sender.ts';
import type { WebhookCaller } from '../src/providers/webhook-caller.ts';
import type { BackgroundTasks } from '../src/runtime/process/background-tasks.ts';
import type { Failpoint } from '../src/runtime/process/failpoint.ts';
import type { Starters } from '../src/runtime/temporal/starters.ts';
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
  readonly starters: Starters;
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
