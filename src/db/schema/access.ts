import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Scope } from '../../domain/access.ts';
import type { CompanyKind, Json, Numeric, Timestamp } from './columns.ts';

export interface ApiKeysTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  revoked_at: Timestamp | null;
  partner_id: number | null;
  merchant_id: number | null;
  key_name: string;
  key_prefix: string;
  key_digest: Buffer;
  /**
   * Of a key that can be copied (crypto/api-key-copies.ts); a trigger deletes it when the key ends.
   */
  key_ciphertext: Generated<string | null>;
  expires_at: Timestamp | null;
  /** Daily limits of the key; null without one. */
  daily_amount: Numeric | null;
  daily_operations: number | null;
  scopes: ColumnType<Scope[], Scope[] | undefined, Scope[]>;
  last_used_at: Timestamp | null;
  last_used_address: string | null;
}

export interface SourceAddressesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  partner_id: number | null;
  merchant_id: number | null;
  address: string;
}

export interface MerchantPublicKeysTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  revoked_at: Timestamp | null;
  merchant_id: number;
  public_key_pem: string;
  fingerprint: GeneratedAlways<string | null>;
  proven_at: Timestamp | null;
}

export interface AuditLogTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  actor: string;
  action: string;
  subject_kind: string;
  subject_id: number;
  details: Json<Record<string, unknown>>;
}

export interface RefusedCallsTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  surface: string;
  method: string;
  route: string;
  reason: string;
  company_kind: CompanyKind | null;
  company_id: number | null;
  source_address: string;
  key_prefix: string | null;
  request_id: string;
  /** Null where nothing more is known. */
  detail: ColumnType<string | null, string | null | undefined, never>;
  left_out: Generated<number>;
}

export interface AdmittedCallsTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  surface: string;
  method: string;
  route: string;
  status_code: number;
  company_kind: CompanyKind;
  company_id: number;
  source_address: string;
  key_prefix: string | null;
  request_id: string;
  /** Null where nothing more is known. */
  detail: ColumnType<string | null, string | null | undefined, never>;
}
