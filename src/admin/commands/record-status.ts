import type { Row } from '../../db/catalogue/company-changes.ts';
import { type AdminCommand, changeCommand } from '../command.ts';
import { argument, id } from '../fields.ts';
import { changeSubject } from '../record-names.ts';
import type { CellValue, RecordKind } from '../records/record-kind.ts';

/** The command that deactivates a record. */
export const deactivateCommand = (kind: RecordKind): AdminCommand =>
  statusCommand(kind, 'deactivate', kind.activation.inactive);

/** The command that activates a record again. */
export const activateCommand = (kind: RecordKind): AdminCommand =>
  statusCommand(kind, 'activate', kind.activation.active);

const statusCommand = (
  { kind, activation }: RecordKind,
  verb: 'activate' | 'deactivate',
  status: CellValue,
): AdminCommand =>
  changeCommand({
    name: `${verb} ${kind}`,
    ...(verb === 'activate' || activation.details === undefined
      ? {}
      : { details: activation.details }),
    fields: { id: argument(id, `The id of the ${kind}`) },
    examples: [`${verb} ${kind} 3`],
    change(transaction, input) {
      const row: Row = { [activation.column]: status };
      return changeSubject(transaction, kind, input.id, row);
    },
  });
