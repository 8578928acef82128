import type { Generated, GeneratedAlways } from 'kysely';
import type { CompanyKind, Timestamp } from './columns.ts';

export type WebhookStatus = 'ACTIVE' | 'DISABLED' | 'SWITCHED_OFF' | 'REMOVED';

export interface WebhookEndpointsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  created_by: string;
  company_kind: CompanyKind;
  company_id: number;
  url: string;
  description: string;
  /** Null: events of every type. */
  types: string[] | null;
  status: Generated<WebhookStatus>;
  status_since: Timestamp;
  status_reason: string | null;
  /** The number of the last event that was made a delivery, or passed over. */
  cursor: number;
  /** When workers start or signal its workflow, unless the workflow has put it off; null: never. */
  wake_at: Timestamp | null;
  /** The first failure since the last success. */
  failing_since: Timestamp | null;
}

export interface WebhookSecretsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  endpoint_id: number;
  ciphertext: string;
  /** Null: the present one. */
  expires_at: Timestamp | null;
}

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED';

export interface WebhookDeliveriesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  endpoint_id: number;
  /** Null: a test event, which is not in the log. */
  event_number: number | null;
  type: string;
  subject: string;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  next_attempt_at: Timestamp;
  retry_until: Timestamp;
  last_attempt_at: Timestamp | null;
  last_status_code: number | null;
  last_milliseconds: number | null;
  last_answer: string | null;
  last_problem: string | null;
}
