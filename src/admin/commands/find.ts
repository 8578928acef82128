import type { LedgerTransfer } from '../../db/ledger/ledger.ts';
import { inOrder } from '../../pages/layout/parts.ts';
import { type SearchResult, searchCases } from '../../pages/staff/find.ts';
import { readCase, type SupportCase } from '../../pages/staff/support-case.ts';
import { plainText } from '../../rendering/html.ts';
import { type TemporalUi, workflowPage } from '../../runtime/process/temporal-ui.ts';
import type { AdminCommand, AdminContext, Report } from '../command.ts';
import { AdminError, argument, type InputOf, text } from '../fields.ts';
import { digestsAndBox } from '../keys.ts';
import { amounts, record, textTable, timeText } from '../tables.ts';
import { factLines, repairFacts } from './repairs.ts';

const fields = {
  what: argument(text, 'The text that the customer gave: see below; quote a text with spaces'),
};

export const commands: Record<string, AdminCommand> = {
  /** Not a `lookCommand`: that somebody looked is written down, with the name. */
  'desk find': {
    details:
      'Finds a phone number in any writing, a serial number, a voucher code, a transaction id, a reference ' +
      'of ours, of a provider, of a line of a bulk order, of a deposit or of a goodwill credit, the ' +
      'X-Request-Id of a call, the id of a workflow, or the name or e-mail address of a company or person. ' +
      'Numbers are shown masked. The audit log records the person and the text; of a number it keeps only a keyed hash. Needs the ' +
      'settings DIGEST_KEY, DIGEST_KEYS and DATA_KEYS of the service, unless "npm start" runs it.',
    fields,
    examples: ['0911234567', '012345678901234567', 'RDM-0123456789ABCDEF'],
    async run(context, { what }: InputOf<typeof fields>) {
      const actor = context.actor();
      const { database, settings } = context;
      const { digests } = digestsAndBox(settings);
      const result = await searchCases({ database, digests }, what, { actor });
      const [first, ...others] = result.cases;
      if (!first && result.records.length === 0) return nothingFound(context, result);
      const isAlone = others.length + result.records.length === 0;
      return (first && isAlone && (await storyReport(context, first))) || listReport(result);
    },
  },
};

/** @throws {AdminError} unless the text is the id of a workflow that the report can describe */
function nothingFound({ settings }: AdminContext, { workflow }: SearchResult): Report {
  if (!workflow)
    throw new AdminError(
      'Nothing found. Check it with the customer, or look for something else of the case, such as ' +
        'the phone number or the serial number.',
    );
  const { id, about } = workflow;
  const link = workflowPage(settings.temporal, id);
  return { json: { workflow: { id, about, link } }, text: `${about}\n${link ?? id}` };
}

/** The history of a voucher or a top-up, with its money and its next step; undefined where there is none. */
export async function storyReport(
  { database, settings }: Pick<AdminContext, 'database' | 'settings'>,
  { kind, id }: Pick<SupportCase, 'kind' | 'id'>,
) {
  // Before all else: facts that have changed since then are refused.
  const repairs = await repairFacts({ database, settings }, { kind, id });
  const found = await readCase(database, { kind, id });
  if (!found) return undefined;
  const steps = stepsOf(found, settings.temporal);
  const { name, transfers } = found;
  const happened = plainText(found.next.happened, timeText);
  const next = plainText(found.next.toDo, timeText);
  const facts = Object.fromEntries(
    Object.entries(found.facts).map(([fact, value]) => [fact, plainText(value, timeText)]),
  );
  const state = plainText(found.state, timeText);
  return {
    json: {
      kind,
      id,
      name,
      state,
      facts,
      steps,
      happened,
      next,
      repairs,
      transfers,
      record: found.record,
    },
    text: [
      `${kind === 'voucher' ? 'Voucher' : 'Top-up'} ${name}: ${state}. ${happened}`,
      `\n${record(facts)}`,
      `\nWhat happened\n${steps.map(lineOf).join('\n')}`,
      `\nHow the money moved\n${moneyMoveTable(transfers)}`,
      `\nNext\n${next}`,
      ...(repairs.length > 0 ? [`\nRepairs by facts\n${factLines(repairs)}`] : []),
    ].join('\n'),
  };
}

/** Transfers of the ledger, oldest first. */
const moneyMoveTable = (moves: readonly LedgerTransfer[]): string =>
  textTable(moves, ['at', 'debit', 'credit', amounts('amount')]);

const stepsOf = ({ happenings }: SupportCase, temporalUi: TemporalUi) =>
  inOrder(happenings).map(({ at, what, workflowId }) => ({
    at,
    what: plainText(what, timeText),
    workflowId,
    // Its page in the Temporal UI, where the settings have one.
    link: workflowId && workflowPage(temporalUi, workflowId),
  }));

function lineOf({ at, what, workflowId, link }: ReturnType<typeof stepsOf>[number]): string {
  const time = `${timeText(at)}  `;
  const line = `${time}${what}`;
  return workflowId ? `${line}\n${' '.repeat(time.length)}${link ?? workflowId}` : line;
}

const listReport = ({ cases, more, records }: SearchResult): Report => ({
  json: { cases, more, records },
  text: [
    ...(cases.length > 0 ? [caseTable(cases)] : []),
    ...(more > 0 ? [`${more} more.`] : []),
    ...(records.length > 0 ? [recordTable(records)] : []),
  ].join('\n'),
});

const caseTable = (cases: SearchResult['cases']) =>
  textTable(cases, ['kind', 'name', 'at', 'status', 'maskedNumber', 'partner', amounts('amount')]);

const recordTable = (records: SearchResult['records']) =>
  textTable(records, ['kind', 'name', 'at', 'state', 'company', amounts('amount')]);
