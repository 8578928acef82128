import { COUNTERS, NOTHING, READ, type Rights, WORKERS } from './rights.ts';

/** What a workflow does for a company is the worker's. */
const WORKERS_ALONE: Rights = { ...WORKERS, operator: 'select' };

/** Rights on what companies ask for, and what is counted of it. */
export const operationRights = {
  voucher_status_changes: READ,
  daily_spending: COUNTERS,
  number_daily_counts: { ...COUNTERS, operator: 'select, delete' },
  // Operators cancel, which ends the claim and its messages; they renew digests and erase numbers.
  vouchers: {
    ...WORKERS,
    operator:
      'select, update (status, current_claim_id, remaining, returned, code_digest, owner_msisdn)',
  },
  voucher_claims: { ...WORKERS, operator: 'select, update (status, code_ciphertext)' },
  // Statements that operators compare say what became of payments and top-ups.
  redemptions: {
    ...WORKERS,
    operator: 'select, update (is_done, changed_at, charged, credited_to)',
  },
  redemption_reversals: WORKERS_ALONE,
  topup_attempts: { ...WORKERS, operator: 'select, update (is_done, changed_at, charged, msisdn)' },
  // Providers report deliveries to the API, too.
  messages: {
    worker: 'select, insert, update, delete',
    api: 'select, update (delivery, delivery_at, delivery_reason)',
    operator: 'select, update (status, settled_at, msisdn)',
  },
  early_delivery_reports: {
    api: 'select, insert',
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  bulk_orders: {
    api: 'select, insert, update (cancel_requested_at)',
    worker: 'select, update',
    operator: 'select',
  },
  // Operators reseal and erase numbers.
  bulk_lines: {
    api: 'select, insert',
    worker: 'select, update',
    operator: 'select, update (owner_msisdn)',
  },
  message_resends: { ...WORKERS_ALONE, worker: 'select, insert, update, delete' },
  operations: {
    api: 'select, insert, update, delete',
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  // The API records; a worker gives the answer, and prunes.
  left_requests: {
    api: 'select, insert, update (left_at, taken_at)',
    worker: 'select, update (taken_at), delete',
    operator: NOTHING,
  },
  verification_attempts: {
    ...READ,
    worker: 'select, insert, update (created_at), delete',
  },
  // The API gives a company that is slowed down its next turn.
  company_daily_counts: { ...COUNTERS, api: 'select, update (next_turn_at)' },
  // The API records a request, and withdraws it while nothing has begun.
  topups: {
    api: 'select, insert, delete',
    worker: 'select, update, delete',
    operator: 'select, update (status, message, provider_reference, updated_at, msisdn)',
  },
  topup_retries: {
    api: 'select, insert, delete',
    worker: 'select, update (is_open, msisdn), delete',
    operator: 'select, update (msisdn)',
  },
  operator_commands: {
    api: 'select',
    worker: 'select, insert, update (taken_at, repair_id, msisdn)',
    operator: 'select, insert, update (msisdn)',
  },
} as const satisfies Readonly<Record<string, Rights>>;
