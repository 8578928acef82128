import { AdminError } from '../admin-error.ts';
import { kebab } from '../fields.ts';
import type { Plan } from '../records/plan-records.ts';
import type { CellProblem } from './import-row.ts';
import type { ReadRow } from './read-rows.ts';

export type WritablePlan = Exclude<Plan, { action: 'refuse' }>;

/** The number of problems that are shown. */
const SHOWN_PROBLEMS = 50;

/**
 * The plans, if every row is valid.
 *
 * @throws {AdminError} with the problems of the invalid rows
 */
export function acceptAll(
  fileName: string,
  rows: readonly ReadRow[],
  plans: readonly Plan[],
): WritablePlan[] {
  const problems: string[] = [];
  const accepted: WritablePlan[] = [];
  for (const [index, row] of rows.entries()) {
    const plan = plans[index];
    problems.push(...row.rowProblems.map((problem) => describe(row.place, problem)));
    if (plan?.action === 'refuse')
      problems.push(
        ...plan.problems.map(({ field, reason }) => describe(row.place, { column: field, reason })),
      );
    else if (plan) accepted.push(plan);
  }
  if (problems.length === 0) return accepted;
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  const more = problems.length - shown.length;
  throw new AdminError(
    [
      `${fileName} has ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}; ` +
        'nothing was imported:',
      ...shown.map((problem) => `  ${problem}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}

const describe = (place: string, { column, reason }: CellProblem): string =>
  column === undefined ? `${place} ${reason}` : `${place}, ${kebab(column)} ${reason}`;
