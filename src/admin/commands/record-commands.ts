import { isDeletable } from '../../db/catalogue/company-changes.ts';
import type { AdminCommand } from '../command.ts';
import { importCommand } from '../import/import-command.ts';
import { recordKinds } from '../records/all-record-kinds.ts';
import { deleteCommand, restoreCommand } from './record-deletion.ts';
import { activateCommand, deactivateCommand } from './record-status.ts';
import { changeRecordCommand, createCommand } from './records.ts';

/** The commands of every kind of record. */
export const recordCommands: readonly AdminCommand[] = recordKinds.flatMap((kind) => [
  createCommand(kind),
  changeRecordCommand(kind),
  importCommand(kind),
  deactivateCommand(kind),
  activateCommand(kind),
  deleteCommand(kind),
  ...(isDeletable(kind.table) ? [restoreCommand(kind)] : []),
]);
