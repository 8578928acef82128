import { type Database, inSnapshot, withSettings } from '../../db/connection.ts';
import {
  ALL_LINES,
  readStatementPage,
  readStatementSums,
  type StatementRequest,
  type StatementSums,
} from '../../db/ledger/account-statements.ts';
import { amountText, formatMoney, type Money, parseMoney, sumOf } from '../../domain/money.ts';
import { explainLine, sides } from '../../domain/statements.ts';
import { lookCommand } from '../command.ts';
import { AdminError, beginning, ending, oneOf, optional, required } from '../fields.ts';
import { partnerField, requireSubject } from '../record-names.ts';
import { amounts, column, textTable } from '../tables.ts';

export const commands = {
  'money statement': lookCommand({
    details:
      'Each line is a transfer of the ledger with its purpose. "reserved" is the value of unused ' +
      'gifts. Days are in UTC. If the lines do not add up to the balance of the ledger, the ' +
      'command reports it and the exit code is 2.',
    fields: {
      ...partnerField,
      wallet: required(oneOf('gift', 'airtime', 'reserved'), 'The balance of the partner'),
      from: optional(beginning, 'The first day, or a time; the beginning by default'),
      to: optional(ending, 'The last day, or a time; now by default'),
    },
    examples: [
      '--partner 1 --wallet gift',
      '--partner 1 --wallet airtime --from 2026-11-01 --to 2026-11-30',
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
  }),
};

type Statement = Awaited<ReturnType<typeof readStatement>>;

/** The statement, its oldest line first, and what the ledger has. */
const readStatement = (database: Database, request: StatementRequest) =>
  inSnapshot(database, async (snapshot) => {
    const found = await readStatementPage(snapshot, request, { limit: ALL_LINES, offset: 0 });
    const whole = { ...request, from: undefined, before: undefined };
    const sums = await readStatementSums(snapshot, whole);
    const others = changeBetween(sums) - changeBetween(found);
    return {
      openingBalance: found.openingBalance,
      lines: found.lines.toReversed(),
      closingBalance: found.closingBalance,
      /** The sum of the lines, and of the days outside the range; a difference from the balance is a fault. */
      total: formatMoney(others + sumOf(found.lines.map(({ change }) => change))),
      ledgerBalance: sums.closingBalance,
    };
  });

const changeBetween = (sums: StatementSums): Money =>
  parseMoney(sums.closingBalance) - parseMoney(sums.openingBalance);

const isBroken = ({ total, ledgerBalance }: Statement): boolean => total !== ledgerBalance;

const toJson = (request: StatementRequest, { lines, ...found }: Statement) => ({
  ...request,
  ...found,
  lines: lines.map((line) => ({
    id: line.id,
    at: line.at,
    explanation: explainLine(line),
    operationId: line.operation_id,
    step: line.step,
    ...sides(line),
    balance: line.balance,
  })),
});

function toText(request: StatementRequest, name: string, found: Statement): string {
  const { partnerId, wallet } = request;
  const title = `${wallet[0]?.toUpperCase()}${wallet.slice(1)} wallet of partner ${partnerId}`;
  const lines = textTable(found.lines, [
    'at',
    column('what', explainLine),
    amounts('debit', (line) => sides(line).debit ?? ''),
    amounts('credit', (line) => sides(line).credit ?? ''),
    amounts('balance'),
  ]);
  return [
    `${title} (${name}), in ETB`,
    '',
    `Opening balance  ${amountText(found.openingBalance)}`,
    '',
    found.lines.length === 0 ? 'No movements.' : lines,
    '',
    closing(request, found),
  ].join('\n');
}

function closing(request: StatementRequest, found: Statement): string {
  const balance = `Closing balance  ${amountText(found.closingBalance)}`;
  const ledger = amountText(found.ledgerBalance);
  if (isBroken(found))
    return `${balance}\nAll lines add up to ${amountText(found.total)}, but the ledger has ${ledger}: run "money check-ledger"`;
  return request.before === undefined
    ? `${balance}, as the ledger has it`
    : `${balance}\nThe ledger has ${ledger} now`;
}
