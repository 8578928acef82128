import { repairWorkflowId } from '../../../../workflows/workflow-ids.ts';
import type { RepairRow } from '../../../db/repairs/audit-repair.ts';
import { findRepair, listRepairs } from '../../../db/repairs/repair-lists.ts';
import { repairStates } from '../../../domain/repairs/repair.ts';
import { AdminError } from '../../admin-error.ts';
import { lookCommand } from '../../command.ts';
import { argument, id, oneOf, optional, wholeNumber } from '../../fields.ts';
import { column, money, numbers, record, table, time } from '../../tables.ts';

export const listRepairsCommand = lookCommand({
  name: 'list repairs',
  details: 'ASKED waits for the confirmation of a second person, at /support.',
  fields: {
    state: optional(oneOf(...repairStates), 'Only those in one state'),
    limit: optional(wholeNumber(1, 1_000), 'Maximum number of rows; 50 by default'),
  },
  examples: ['list repairs --state ASKED'],
  async look(database, { state, limit }) {
    const rows = await listRepairs(database, { state, limit: limit ?? 50 });
    return {
      json: rows.map(shown),
      text: table(rows, [
        numbers('id', (row) => row.id),
        column('asked (utc)', (row) => time(row.asked_at)),
        column('kind', (row) => row.kind),
        column('subject', subjectOf),
        numbers('etb', (row) => money(row.amount)),
        column('asked by', (row) => row.asked_by),
        column('state', (row) => row.state),
      ]),
    };
  },
});

export const showRepair = lookCommand({
  name: 'show repair',
  fields: { id: argument(id, 'The id of the repair') },
  examples: ['show repair 17'],
  async look(database, input) {
    const row = await findRepair(database, input.id);
    if (!row) throw new AdminError(`There is no repair ${input.id}: see "list repairs".`);
    return {
      json: shown(row),
      text: record({
        Repair: row.id,
        Kind: row.kind,
        Subject: subjectOf(row),
        'Amount (ETB)': money(row.amount),
        State: row.state,
        Result: row.result,
        Why: row.why,
        Asked: `${time(row.asked_at)} by ${row.asked_by}`,
        Confirmed: row.confirmed_at && `${time(row.confirmed_at)} by ${row.confirmed_by}`,
        'To be confirmed until': row.state === 'ASKED' ? time(row.confirm_until) : null,
        Workflow: repairWorkflowId(row.id, row.operation_id),
      }),
    };
  },
});

const subjectOf = (row: RepairRow): string => `${row.subject_kind} ${row.subject_id}`;

/** Without the personal arguments, which are encrypted. */
const shown = ({
  sealed_arguments,
  former_msisdn,
  request_key,
  operation_id,
  ...row
}: RepairRow) => ({
  ...row,
  workflow: repairWorkflowId(row.id, operation_id),
});
