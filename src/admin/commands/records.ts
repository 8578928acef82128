import type { DatabaseTransaction } from '../../db/connection.ts';
import { AdminError } from '../admin-error.ts';
import { type AdminCommand, type Change, changeCommand } from '../command.ts';
import { flag, kebab } from '../fields.ts';
import { changed, created, notFound, warnOfNamesakes } from '../record-names.ts';
import { planChangeOf, planRecords } from '../records/plan-records.ts';
import {
  type Consequence,
  changeFields,
  columnsOf,
  creationFields,
  type RecordKind,
  type RecordProblem,
  type Values,
} from '../records/record-kind.ts';
import { writeRecords } from '../records/write-records.ts';

/** All problems of the options in one line. */
const refusal = (problems: readonly RecordProblem[]): AdminError =>
  new AdminError(problems.map(({ field, reason }) => `--${kebab(field)} ${reason}.`).join(' '));

/** The command that adds a record of a kind. */
export const createCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    name: `create ${kind.kind}`,
    ...(kind.help.createDetails === undefined ? {} : { details: kind.help.createDetails }),
    fields: {
      ...creationFields(kind),
      ...(kind.uponCreation && {
        [kind.uponCreation.flag]: flag(kind.uponCreation.description),
      }),
    },
    examples: kind.help.createExamples,
    async change(transaction, input) {
      const { [kind.uponCreation?.flag ?? '']: isAsked, ...given } = input;
      const record = { given: given as Values, problems: [] };
      const [plan] = await planRecords(transaction, kind, [record], false);
      if (plan?.action !== 'create') throw refusal(plan?.action === 'refuse' ? plan.problems : []);
      const [written] = await writeRecords(transaction, kind, [plan]);
      const id = written?.id ?? 0;
      const change = created(kind.kind, id, written?.details ?? {});
      const more = isAsked ? await kind.uponCreation?.work(transaction, id) : undefined;
      return withWarning(transaction, kind, more ? withConsequence(change, more) : change);
    },
  });

/** The command that changes a record. */
export const changeRecordCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    name: `change ${kind.kind}`,
    details: [
      ...(kind.help.changeDetails === undefined ? [] : [kind.help.changeDetails]),
      `For its status see "deactivate ${kind.kind}" and "activate ${kind.kind}".`,
    ].join(' '),
    fields: changeFields(kind),
    examples: kind.help.changeExamples,
    async change(transaction, { id: recordId, ...input }) {
      const id = Number(recordId);
      const values = input as Values;
      if (Object.keys(columnsOf(kind, values)).length === 0)
        throw new AdminError('There is nothing to change: add --help to see the options.');
      const plan = await planChangeOf(transaction, kind, id, values);
      if (!plan) throw notFound(kind.kind, id);
      if (plan.action !== 'change') throw refusal(plan.action === 'refuse' ? plan.problems : []);
      await writeRecords(transaction, kind, [plan]);
      const change = changed(kind.kind, id, plan.changes);
      const consequence = await kind.afterChange?.(transaction, id, plan.changes);
      const whole = consequence ? withConsequence(change, consequence) : change;
      return 'name' in values && values.name !== undefined
        ? withWarning(transaction, kind, whole)
        : whole;
    },
  });

/** A shared name of companies is rarely intended; names of other kinds are unique. */
const withWarning = (transaction: DatabaseTransaction, { kind }: RecordKind, change: Change) =>
  kind === 'merchant' ? warnOfNamesakes(transaction, kind, change) : change;

/** A change with its further effect. */
const withConsequence = (change: Change, { details, text }: Consequence): Change =>
  'unchanged' in change
    ? change
    : {
        ...change,
        details: { ...change.details, ...details },
        text: `${change.text} ${text}`,
      };
