import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { PortalRole } from '../../domain/access.ts';
import type { SmsProviderName } from '../../domain/providers.ts';
import type { StaffRole } from '../../domain/staff.ts';
import type { Month } from '../../domain/statements.ts';
import type { Timestamp } from './columns.ts';

export interface PortalAccountsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  disabled_at: Timestamp | null;
  email: string;
  role: ColumnType<PortalRole, PortalRole | undefined, PortalRole>;
  partner_id: number | null;
  merchant_id: number | null;
  password_hash: string | null;
  must_change_password: Generated<boolean>;
  password_expires_at: Timestamp | null;
  last_signed_in_at: Timestamp | null;
  /** Of the person's pages; null until one is chosen. */
  language: Generated<'en' | 'am' | null>;
  /** Null: the market's. */
  time_zone: Generated<string | null>;
  /** Whether the person wants monthly statements by e-mail; null: by the role. */
  statement_by_email: Generated<boolean | null>;
  /** Months that closed until then are dealt with. */
  statements_until: Timestamp;
}

/** An account of no company with a row here is of the service itself. */
export interface StaffAccountsTable {
  account_id: number;
  name: string;
  role: StaffRole;
}

export interface PortalSessionsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  account_id: number;
  token_digest: Buffer;
  notice: string | null;
  /** When the person last proved to be there. */
  confirmed_at: Timestamp | null;
}

export interface PortalOneTimePasswordsTable {
  account_id: number;
  created_at: Timestamp;
  secret_ciphertext: string;
  /** The last time step whose password was used. */
  last_step: number;
}

export interface PortalRecoveryCodesTable {
  account_id: number;
  code_digest: Buffer;
  used_at: Timestamp | null;
}

export interface PortalHalfSignInsTable {
  token_digest: Buffer;
  created_at: Timestamp;
  account_id: number;
}

/** A row: all people of the company need a one-time password. */
export interface PortalOneTimePasswordRulesTable {
  created_at: Timestamp;
  partner_id: number | null;
  merchant_id: number | null;
}

/** E-mails to owners about an entry of the audit log. */
export interface AccessNoticesTable {
  audit_id: number;
  created_at: Timestamp;
  sent_at: Timestamp | null;
}

export type StatementEmailOutcome =
  | 'SENT'
  | 'REFUSED'
  | 'UNKNOWN'
  | 'EMPTY'
  | 'CANCELLED'
  | 'GIVEN_UP';

/** The statement of a month for one person. */
export interface StatementEmailsTable {
  account_id: number;
  /** YYYY-MM */
  month: Month;
  created_at: Timestamp;
  /** When the e-mail is tried next. */
  due_at: Timestamp;
  settled_at: Timestamp | null;
  outcome: StatementEmailOutcome | null;
}

export interface PortalSignInAttemptsTable {
  subject_digest: Buffer;
  account_id: number | null;
  window_began_at: Timestamp;
  attempts: Generated<number>;
}

export type InvitationStatus =
  | 'REQUESTED'
  | 'OPEN'
  | 'USED'
  | 'REPLACED'
  | 'EXPIRED'
  | 'UNDELIVERED';

export interface MerchantInvitationsTable {
  id: Generated<string>;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  merchant_id: number;
  email: string;
  msisdn: string | null;
  status: Generated<InvitationStatus>;
  expires_at: Timestamp | null;
  token_digest: Buffer | null;
  token_ciphertext: string | null;
}

export type InvitationChannel = 'SMS' | 'EMAIL';

export type InvitationMessageStatus =
  | 'QUEUED'
  | 'SENDING'
  | 'SENT'
  | 'REFUSED'
  | 'UNKNOWN'
  | 'CANCELLED';

export interface InvitationMessagesTable {
  invitation_id: string;
  channel: InvitationChannel;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  status: Generated<InvitationMessageStatus>;
  /** Of the attempt that sends it; null once that has recorded the outcome. */
  sending_since: Timestamp | null;
  /** Of a text message; null before its sending. */
  provider: SmsProviderName | null;
  provider_reference: string | null;
  provider_message: string | null;
  /** What the provider reported after it had taken the text message; null: nothing. */
  delivery: 'DELIVERED' | 'NOT_DELIVERED' | null;
  delivery_at: Timestamp | null;
  delivery_reason: string | null;
}
