import type { Generated, GeneratedAlways } from 'kysely';
import type { Timestamp } from './columns.js';

export interface PortalAccountsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  disabled_at: Timestamp | null;
  email: string;
  partner_id: number | null;
  merchant_id: number | null;
  password_hash: string | null;
  must_change_password: Generated<boolean>;
  password_expires_at: Timestamp | null;
  last_signed_in_at: Timestamp | null;
}

export interface PortalSessionsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  account_id: number;
  token_digest: Buffer;
  notice: string | null;
}

export interface PortalSignInAttemptsTable {
  subject_digest: Buffer;
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
  provider_reference: string | null;
  provider_message: string | null;
}
