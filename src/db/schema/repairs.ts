import type { Generated, GeneratedAlways } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { RepairState, RepairSubject } from '../../domain/repairs.ts';
import type { CompanyKind, Json, Numeric, Timestamp } from './columns.ts';

export interface RepairsTable {
  id: GeneratedAlways<number>;
  /** Names its workflow, and what it does elsewhere. */
  operation_id: string;
  /** The same form sent twice is one repair. */
  request_key: string;
  kind: string;
  subject_kind: RepairSubject;
  subject_id: string;
  /** Whose operation it is: it has the authority of this company, and no other. Null: of no company. */
  company_kind: CompanyKind | null;
  company_id: number | null;
  voucher_id: number | null;
  topup_id: number | null;
  arguments: Json<Readonly<Record<string, unknown>>>;
  /** Personal arguments under a data key. */
  sealed_arguments: string | null;
  /** Of the owner before it was corrected. */
  former_msisdn: Generated<StoredNumber | null>;
  /** The value that it is about. */
  amount: Numeric;
  /** Whether somebody gets value by it that was not theirs. */
  moves_value: boolean;
  why: string;
  asked_at: Timestamp;
  /** A name, or `staff:` and the id of an account. */
  asked_by: string;
  needs_confirmation: boolean;
  confirm_until: Timestamp;
  confirmed_at: Timestamp | null;
  confirmed_by: string | null;
  state: RepairState;
  changed_at: Timestamp;
  /** What came of it, or what to do instead; null while it is open. */
  result: string | null;
}
