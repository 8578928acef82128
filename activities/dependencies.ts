import type { Digests } from '../src/crypto/digests.js';
import type { SecretBox } from '../src/crypto/secret-box.js';
import type { Database } from '../src/db/connection.js';
import type { Money } from '../src/domain/money.js';
import type { Operator } from '../src/domain/operator.js';
import type { AmountRange } from '../src/domain/topup.js';
import type { Failpoint } from '../src/process/failpoint.js';
import type { Airtime } from '../src/providers/airtime/airtime.js';
import type { OperatorLookup } from '../src/providers/airtime/operator-lookup.js';
import type { EmailSender } from '../src/providers/email/email-sender.js';
import type { MobileMoney } from '../src/providers/mobile-money/mobile-money.js';
import type { SmsSender } from '../src/providers/sms/sms-sender.js';
import type { CaseStarter, Resumption } from './ports.js';

/** The dependencies of activities. */
export interface ActivityDependencies {
  readonly database: Database;
  readonly digests: Digests;
  readonly secretBox: SecretBox;
  readonly smsSender: SmsSender;
  readonly emailSender: EmailSender;
  readonly mobileMoney: MobileMoney;
  readonly airtime: Airtime;
  readonly operatorLookup: OperatorLookup;
  /** The public address for links in messages, without a trailing slash. */
  readonly publicUrl: string;
  readonly failpoint: Failpoint;
  readonly resumption: Resumption;
  readonly caseStarter: CaseStarter;
  readonly limits: {
    readonly voucherValidityDays: number;
    readonly wrongCodesPerDay: number;
    readonly wrongCodesBeforeLongCodes: number;
    readonly wrongCodesPerCompanyAndDay: number;
    readonly messagesPerCompanyAndDay: number;
    readonly servedCountries: readonly string[];
    readonly redemptionMinimum: Money;
    readonly partialRedemptionsPerVoucher: number;
    readonly messageCooldownSeconds: number;
    readonly messagesPerNumberAndDay: number;
    readonly confirmationMaximumAgeSeconds: number;
    readonly refusedMessagesPerNumberAndHour: number;
    readonly signInWindowSeconds: number;
    readonly sessionMaximumSeconds: number;
    readonly operationRetentionDays: number;
    readonly topupRanges: Readonly<Record<Operator, AmountRange>>;
    readonly topupStartSeconds: number;
    /** Whether the signal `retry` makes one more attempt. */
    readonly supportRetrySignal: boolean;
    readonly reversalWatchSeconds: number;
  };
}
