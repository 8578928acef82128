import { ADDED_ONLY, NOTHING, OPERATORS, READ, type Rights, WORKERS } from './rights.ts';

/** Rights on the ledger, its checks, and what providers say of money. */
export const moneyRights = {
  ledger_accounts: {
    ...READ,
    api: 'select, update (low_balance)',
    operator: 'select, update (low_balance)',
  },
  ledger_transfers: { ...ADDED_ONLY, api: 'select' },
  // The check of the books: triggers write changes, a worker takes them.
  book_checkpoints: { ...READ, worker: 'select, update' },
  checked_balances: { ...READ, worker: 'select, insert, update, delete' },
  ledger_day_sums: { ...READ, worker: 'select, insert, update, delete' },
  payout_hour_sums: { ...READ, worker: 'select, insert, update, delete' },
  sale_hour_sums: { ...READ, worker: 'select, insert, update, delete' },
  row_counts: { ...READ, worker: 'select, insert, update, delete' },
  checked_holdings: { ...READ, worker: 'select, insert, update, delete' },
  unchecked_changes: { ...READ, worker: 'select, insert, delete' },
  // Operators recover a restored database.
  database_timeline: { ...READ, operator: 'select, update' },
  maintenance_fences: { ...READ, operator: 'select, insert, update' },
  // Operators say who serves what; a worker tells what it did of it, and prunes.
  provider_routes: OPERATORS,
  provider_states: { ...READ, worker: 'select, insert, update, delete' },
  // A callback lets the next reconciliation ask the provider. Operators compare statements, and recover what a
  // restore lost.
  placements: {
    ...WORKERS,
    api: 'select, update (ask_at, doubted_at)',
    operator: 'select, insert, update',
  },
  observations: { ...ADDED_ONLY, operator: 'select, insert' },
  settlements: { ...ADDED_ONLY, operator: 'select' },
  cases: { ...WORKERS, operator: 'select, insert, update' },
  message_failovers: { ...READ, worker: 'select, insert, update (at), delete' },
  // Workers and operators compare statements.
  provider_statements: WORKERS,
  provider_statement_lines: {
    api: NOTHING,
    worker: 'select, insert, update (reference, status, kind), delete',
    operator: 'select, insert, update (reference, status, kind), delete',
  },
  provider_balances: { ...READ, worker: 'select, insert, update (read_at), delete' },
  // Callbacks add; a worker uses and prunes them.
  mpesa_results: {
    api: 'select, insert',
    worker: 'select, update (used_at), delete',
    operator: 'select',
  },
  // People ask and confirm; a worker carries out what they have asked for, and asks for nothing.
  repairs: {
    api: 'select, insert, update (state, changed_at, result, confirmed_by, confirmed_at)',
    worker:
      'select, update (state, changed_at, result, amount, needs_confirmation, confirm_until, ' +
      'sealed_arguments, former_msisdn)',
    // Seals and erases numbers.
    operator: 'select, insert, update (sealed_arguments, former_msisdn)',
  },
} as const satisfies Readonly<Record<string, Rights>>;
