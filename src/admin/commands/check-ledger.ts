import { checkWholeBooks } from '../../db/books/check-whole.ts';
import { inSnapshot, withSettings } from '../../db/connection.ts';
import { type LedgerTotals, readLedgerTotals } from '../../db/ledger/ledger.ts';
import { amountText } from '../../domain/money.ts';
import { lookCommand } from '../command.ts';
import { amounts, textTable } from '../tables.ts';

export const commands = {
  'money check-ledger': lookCommand({
    details:
      'Reads every account, transfer, voucher, redemption and top-up in batches, during live traffic, ' +
      'from the replica of DATABASE_READ_URL where it is set. A terminal shows how far it is. ' +
      'Each fault is one line; any fault makes the exit code 2. The totals cover all partners. ' +
      'Open operations in suspense wait for an operator and are no fault.',
    fields: {},
    readsEverything: true,
    examples: ['', '--json'],
    async look(database, _input, { progress }) {
      // Reading everything may take long; this connection blocks no other.
      const patient = withSettings(database, { statement_timeout: 0 });
      const faults = await progress.step('Checking the books', (note) =>
        checkWholeBooks(patient, { note }),
      );
      const totals = await inSnapshot(patient, readLedgerTotals);
      const isInOrder = faults.length === 0;
      return {
        json: { ok: isInOrder, faults, totals },
        text: [
          isInOrder ? 'The ledger is in order.' : faults.join('\n'),
          ...totalLines(totals),
        ].join('\n'),
        exitCode: isInOrder ? 0 : 2,
      };
    },
  }),
};

const totalLines = ({ accounts, openSuspense }: LedgerTotals): string[] => [
  '',
  textTable(accounts, ['kind', amounts('balance')]),
  '',
  suspenseLine(openSuspense),
];

function suspenseLine({ count, toBeBorne, toBeCredited }: LedgerTotals['openSuspense']): string {
  if (count === 0) return 'Nothing is open in suspense.';
  return (
    `Open in suspense: ${count === 1 ? 'one operation' : `${count} operations`}, ` +
    `ETB ${amountText(toBeBorne)} to be borne and ETB ${amountText(toBeCredited)} to be credited. ` +
    'See "cases list".'
  );
}
