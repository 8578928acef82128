import { ADDED_ONLY, NOTHING, OPERATORS, prunedBy, READ, type Rights } from './rights.ts';

/** A key is limited and ended, but becomes neither another key nor another company's. */
const KEY_CHANGES =
  'revoked_at, expires_at, last_used_at, last_used_address, key_ciphertext, scopes, ' +
  'daily_amount, daily_operations';
const keysWith = (changes: string): Rights => ({
  ...READ,
  api: `select, insert, update (${changes})`,
  operator: `select, insert, update (${changes})`,
});

/** Rights on what says who may do what, and on what people and systems are told. */
export const accessRights = {
  api_keys: keysWith(KEY_CHANGES),
  merchant_public_keys: keysWith('revoked_at'),
  refused_calls: {
    api: 'select, insert',
    // PostgreSQL requires the update right for locks; a trigger refuses every update.
    worker: 'select, delete, update',
    operator: 'select',
  },
  // Operators alone say who is staff.
  staff_accounts: { ...READ, operator: 'select, insert, update' },
  // Workers know nobody's secret.
  portal_one_time_passwords: {
    api: 'select, insert, update, delete',
    worker: NOTHING,
    operator: 'select, delete',
  },
  portal_recovery_codes: {
    api: 'select, insert, update, delete',
    worker: NOTHING,
    operator: 'select, delete',
  },
  portal_one_time_password_rules: {
    api: 'select, insert, delete',
    worker: NOTHING,
    operator: 'select',
  },
  access_notices: {
    api: 'select, insert',
    worker: 'select, insert, update, delete',
    operator: 'select, insert',
  },
  audit_log: ADDED_ONLY,
  // A worker delivers, and switches off; it redirects nothing to another address.
  webhook_endpoints: {
    api: 'select, insert, update',
    worker: 'select, update (cursor, wake_at, failing_since, status, status_since, status_reason)',
    operator: 'select, insert, update',
  },
  webhook_secrets: { ...OPERATORS, api: OPERATORS.operator, worker: 'select, delete' },
  webhook_deliveries: {
    api: 'select, insert, update',
    worker: 'select, insert, update, delete',
    operator: 'select, insert, update',
  },
  // Only triggers add events; a worker numbers and prunes them.
  events: { ...READ, worker: 'select, update (number), delete' },
  event_epochs: { ...READ, operator: 'select, insert' },
  // Workers alone queue and send statements.
  statement_emails: {
    api: NOTHING,
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  // Operators choose who gets day reports; workers alone queue and send them.
  report_recipients: { api: NOTHING, worker: 'select', operator: 'select, insert, update' },
  report_emails: {
    api: NOTHING,
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  source_addresses: {
    ...READ,
    api: 'select, insert, delete',
    operator: 'select, insert, delete',
  },
  // A repetition updates its row to what it is, to read it.
  signed_requests: {
    api: 'select, insert, update (bound_to)',
    worker: prunedBy('created_at'),
    operator: NOTHING,
  },
  // The API deletes a company's older calls.
  admitted_calls: { api: `insert, ${prunedBy('at')}`, worker: NOTHING, operator: 'select' },
  // A worker writes to people, and sees no password.
  portal_accounts: {
    api: `select, insert, update (disabled_at, role, password_hash, must_change_password,
      password_expires_at, last_signed_in_at, language, time_zone, statement_by_email,
      statements_until)`,
    worker: `select (id, created_at, disabled_at, email, role, partner_id, merchant_id, language,
      time_zone, statement_by_email, statements_until), update (statements_until)`,
    operator: `select, insert, update (disabled_at, role, password_hash, must_change_password,
      password_expires_at, statements_until)`,
  },
  portal_sessions: {
    api: 'select, insert, update (last_seen_at, notice, confirmed_at), delete',
    worker: prunedBy('created_at'),
    operator: 'select, delete',
  },
  portal_half_sign_ins: {
    api: 'select, insert, delete',
    worker: prunedBy('created_at'),
    operator: 'select, delete',
  },
  portal_sign_in_attempts: {
    api: 'select, insert, update',
    worker: prunedBy('window_began_at'),
    operator: 'select, update (attempts)',
  },
  // Operators invite, a worker opens and ends the link, and the portal uses it.
  merchant_invitations: {
    api: 'select, update (status, settled_at, token_ciphertext)',
    worker: 'select, update (status, settled_at, expires_at, token_digest, token_ciphertext)',
    operator: 'select, insert, update (status, settled_at, token_ciphertext)',
  },
  // Providers report deliveries to the API, too.
  invitation_messages: {
    api: 'select, update (status, settled_at, delivery, delivery_at, delivery_reason)',
    worker: 'select, update',
    operator: 'select, insert, update (status, settled_at)',
  },
  // Rate limits are counted, and forgotten, where the calls are.
  rate_limits: { api: 'select, insert, update, delete', worker: NOTHING, operator: NOTHING },
} as const satisfies Readonly<Record<string, Rights>>;
