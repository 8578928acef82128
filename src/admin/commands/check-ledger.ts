import { sql } from 'kysely';
import { findBrokenInvariants } from '../../db/ledger/invariants.js';
import { type LedgerTotals, readLedgerTotals } from '../../db/ledger/ledger-totals.js';
import { lookCommand } from '../command.js';
import { column, money, numbers, table } from '../tables.js';

export const checkLedger = lookCommand({
  name: 'check-ledger',
  summary: 'Check the consistency of money and states, and show the balances of the accounts',
  details:
    'Reads every account, transfer, voucher and redemption in one snapshot, during live traffic. ' +
    'Each fault is one line; any fault makes the exit code 2. The totals cover all partners. ' +
    'Open operations in suspense wait for an operator and are no fault.',
  fields: {},
  examples: ['check-ledger', 'check-ledger --json'],
  async look(database) {
    // Reading everything may take long; this connection blocks nobody.
    await sql`set statement_timeout = 0`.execute(database);
    const faults = await findBrokenInvariants(database);
    const totals = await readLedgerTotals(database);
    const isInOrder = faults.length === 0;
    return {
      json: { ok: isInOrder, faults, totals },
      text: [isInOrder ? 'The ledger is in order.' : faults.join('\n'), ...totalLines(totals)].join(
        '\n',
      ),
      exitCode: isInOrder ? 0 : 2,
    };
  },
});

const totalLines = ({ accounts, openSuspense }: LedgerTotals): string[] => [
  '',
  table(accounts, [
    column('account', (row) => row.kind),
    numbers('etb', (row) => money(row.balance)),
  ]),
  '',
  suspenseLine(openSuspense),
];

function suspenseLine({ count, toBeBorne, toBeCredited }: LedgerTotals['openSuspense']): string {
  if (count === 0) return 'Nothing is open in suspense.';
  return (
    `Open in suspense: ${count === 1 ? 'one operation' : `${count} operations`}, ` +
    `ETB ${money(toBeBorne)} to be borne and ETB ${money(toBeCredited)} to be credited. ` +
    'See "list late-successes" and "list reversals".'
  );
}
