import { sql } from 'kysely';
import { findBrokenInvariants } from '../../db/ledger/invariants.js';
import { type LedgerTotals, readLedgerTotals } from '../../db/ledger/ledger-totals.js';
import { lookCommand } from '../command.js';
import { column, money, numbers, table } from '../tables.js';

export const checkLedger = lookCommand({
  name: 'check-ledger',
  summary: 'Check that money and states agree everywhere, and show what the accounts hold',
  details:
    'Looks at every account, transfer, voucher and redemption in one snapshot, beside live ' +
    'traffic. Each fault is one line; with any the exit code is 2. The totals are of all partners ' +
    'together; what is open in suspense waits for an operator, and is no fault.',
  fields: {},
  examples: ['check-ledger', 'check-ledger --json'],
  async look(database) {
    // Everything is read, which may take long; nobody waits behind this process's own connection.
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
