import { AdminError } from '../admin-error.js';
import { type AdminCommand, changeCommand } from '../command.js';
import { kebab } from '../fields.js';
import { planChangeOf, planRecords } from '../records/plan-records.js';
import {
  changeFields,
  columnsOf,
  creationFields,
  type Problem,
  type RecordKind,
  type Values,
} from '../records/record-kind.js';
import { writeRecords } from '../records/write-records.js';
import { changed, created, notFound } from '../subjects.js';

/** All that is wrong with options, in one line. */
const refusal = (problems: readonly Problem[]): AdminError =>
  new AdminError(problems.map(({ field, reason }) => `--${kebab(field)} ${reason}.`).join(' '));

/** The command that adds a record of a kind. */
export const createCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    name: `create ${kind.kind}`,
    summary: kind.help.create,
    ...(kind.help.createDetails === undefined ? {} : { details: kind.help.createDetails }),
    fields: creationFields(kind),
    examples: kind.help.createExamples,
    async change(transaction, input) {
      const record = { given: input as Values, problems: [] };
      const [plan] = await planRecords(transaction, kind, [record], false);
      if (plan?.action !== 'create') throw refusal(plan?.action === 'refuse' ? plan.problems : []);
      const [written] = await writeRecords(transaction, kind, [plan]);
      return created(kind.kind, written?.id ?? 0, written?.details ?? {});
    },
  });

/** The command that changes what is known of a record. */
export const changeRecordCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    name: `change ${kind.kind}`,
    summary: kind.help.change,
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
        throw new AdminError('There is nothing to change: add --help to see what can be.');
      const plan = await planChangeOf(transaction, kind, id, values);
      if (!plan) throw notFound(kind.kind, id);
      if (plan.action !== 'change') throw refusal(plan.action === 'refuse' ? plan.problems : []);
      await writeRecords(transaction, kind, [plan]);
      const change = changed(kind.kind, id, plan.changes);
      const consequence = await kind.afterChange?.(transaction, id, plan.changes);
      if ('unchanged' in change || !consequence) return change;
      return {
        ...change,
        details: { ...change.details, ...consequence.details },
        text: `${change.text} ${consequence.text}`,
      };
    },
  });
