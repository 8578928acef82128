import type { ShownRepair } from '../db/repairs/repair-lists.ts';
import { quoted } from '../domain/refusals.ts';
import { readWaitingEnd, waitingEnds } from '../domain/repairs/repair.ts';
import type { Happening } from '../portal/layout/facts.ts';
import { html } from '../rendering/html.ts';
import {
  askerOf,
  confirmerOf,
  repairPath,
  titleOf,
  workflowOf,
} from './pages/repairs/repair-parts.ts';

/** What people of the service have done about a case, and what came of it. */
export const happeningsOfRepairs = (repairs: readonly ShownRepair[]): Happening[] =>
  repairs.flatMap((row) => {
    const name = html`<a href="${repairPath(row.id)}">Repair ${row.id}</a>, “${titleOf(row)}”,`;
    const workflowId = row.state === 'ASKED' ? undefined : workflowOf(row);
    if (row.result === null)
      return [
        { at: row.asked_at, what: html`${name} was asked for by ${askerOf(row)}.`, workflowId },
      ];
    const confirmer = confirmerOf(row);
    const people = html`asked for by ${askerOf(row)}${confirmer !== null && html`, confirmed by ${confirmer}`}`;
    const { end, why } = endOf(row, row.result);
    return [
      {
        at: row.changed_at,
        what: html`${name} ${people}, ${end}: ${quoted(why)}.`,
        workflowId,
      },
    ];
  });

function endOf(row: ShownRepair, result: string): { readonly end: string; readonly why: string } {
  const ended = readWaitingEnd(row);
  return ended
    ? { end: `was ${waitingEnds[ended.end].toLowerCase()}`, why: ended.why }
    : { end: row.state === 'DONE' ? 'was done' : 'was not done', why: result };
}
