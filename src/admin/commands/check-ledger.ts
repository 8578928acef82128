import { sql } from 'kysely';
import { findBrokenInvariants } from '../../db/invariants.js';
import { lookCommand } from '../command.js';

export const checkLedger = lookCommand({
  name: 'check-ledger',
  summary: 'Check that money and states agree everywhere',
  details:
    'Looks at every account, transfer, voucher and redemption in one snapshot, beside live ' +
    'traffic. Each fault is one line; with any the exit code is 2.',
  fields: {},
  examples: ['check-ledger', 'check-ledger --json'],
  async look(database) {
    // Everything is read, which may take long; nobody waits behind this process's own connection.
    await sql`set statement_timeout = 0`.execute(database);
    const faults = await findBrokenInvariants(database);
    return {
      json: { ok: faults.length === 0, faults },
      text: faults.length === 0 ? 'The ledger is in order.' : faults.join('\n'),
      exitCode: faults.length === 0 ? 0 : 2,
    };
  },
});
