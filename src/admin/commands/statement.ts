import { withSettings } from '../../db/connection.ts';
import {
  readStatement,
  type Statement,
  type StatementRequest,
} from '../../db/ledger/account-statements.ts';
import { explainLine } from '../../domain/statements.ts';
import { lookCommand } from '../command.ts';
import { AdminError, beginning, ending, id, oneOf, optional, required } from '../fields.ts';
import { requireSubject } from '../record-names.ts';
import { column, moneyText, numbers, textTable, timeText } from '../tables.ts';

export const statementCommand = lookCommand({
  name: 'money statement',
  details:
    'Each line is a transfer of the ledger with its purpose. "reserved" is the value of unused ' +
    'gifts. Days are in UTC. If the lines do not add up to the balance of the ledger, the ' +
    'command reports it and the exit code is 2.',
  fields: {
    partner: required(id, 'The id of the partner'),
    wallet: required(oneOf('gift', 'airtime', 'reserved'), 'Which of its balances'),
    from: optional(beginning, 'The first day, or a time; from the beginning by default'),
    to: optional(ending, 'The last day, or a time; until now by default'),
  },
  examples: [
    'money statement --partner 1 --wallet gift',
    'money statement --partner 1 --wallet airtime --from 2026-11-01 --to 2026-11-30',
  ],
  async look(database, input) {
    const { from, to: before, wallet } = input;
    if (from && before && from >= before) throw new AdminError('--from must be before --to.');
    const { name } = await requireSubject(database, 'partner', input.partner);
    // A long history takes time; this connection blocks no other.
    const patient = withSettings(database, { statement_timeout: 0 });
    const request = { partnerId: input.partner, wallet, from, before };
    const found = await readStatement(patient, request);
    return {
      json: toJson(request, found),
      text: toText(request, name, found),
      exitCode: isBroken(found) ? 2 : 0,
    };
  },
});

const isBroken = ({ total, ledgerBalance }: Statement): boolean => total !== ledgerBalance;

const toJson = (request: StatementRequest, found: Statement) => ({
  ...request,
  openingBalance: found.openingBalance,
  lines: found.lines.map((line) => ({
    id: line.id,
    at: line.at,
    explanation: explainLine(line),
    operationId: line.operation_id,
    step: line.step,
    ...sides(line.change),
    balance: line.balance,
  })),
  closingBalance: found.closingBalance,
  total: found.total,
  ledgerBalance: found.ledgerBalance,
});

/** Debits leave the wallet, credits enter it. */
const sides = (change: string) =>
  change.startsWith('-')
    ? { debit: change.slice(1), credit: null }
    : { debit: null, credit: change };

function toText(request: StatementRequest, name: string, found: Statement): string {
  const { partnerId, wallet } = request;
  const title = `${wallet[0]?.toUpperCase()}${wallet.slice(1)} wallet of partner ${partnerId}`;
  const lines = textTable(found.lines, [
    column('time', (line) => timeText(line.at)),
    column('what', explainLine),
    numbers('debit', (line) => optionalMoney(sides(line.change).debit)),
    numbers('credit', (line) => optionalMoney(sides(line.change).credit)),
    numbers('balance', (line) => moneyText(line.balance)),
  ]);
  return [
    `${title} (${name}), in ETB`,
    '',
    `Opening balance  ${moneyText(found.openingBalance)}`,
    '',
    found.lines.length === 0 ? 'No movements.' : lines,
    '',
    closing(request, found),
  ].join('\n');
}

const optionalMoney = (decimal: string | null): string =>
  decimal === null ? '' : moneyText(decimal);

function closing(request: StatementRequest, found: Statement): string {
  const balance = `Closing balance  ${moneyText(found.closingBalance)}`;
  const ledger = moneyText(found.ledgerBalance);
  if (isBroken(found))
    return `${balance}\nAll lines add up to ${moneyText(found.total)}, but the ledger has ${ledger}: run "money check-ledger"`;
  return request.before === undefined
    ? `${balance}, as the ledger has it`
    : `${balance}\nThe ledger has ${ledger} now`;
}
