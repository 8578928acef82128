import { refuseSettlement } from '../../db/positions/book.ts';
import { type Case, listCases } from '../../db/positions/cases.ts';
import { firstDone, placementsOfCase } from '../../db/positions/placements.ts';
import { parseMoney } from '../../domain/money.ts';
import {
  caseAbout,
  caseAdvice,
  caseTitle,
  saidWords,
  settledWords,
  whoToTell,
} from '../../domain/positions/case-texts.ts';
import { statementProviderNames } from '../../domain/providers.ts';
import {
  bindingOfCase,
  caseFacts,
  settledCase,
  shownChoicesOf,
} from '../../repairs/payment-repairs.ts';
import { lookCommand } from '../command.ts';
import { argument, existing, flag, id, oneOf, optional, rowLimit } from '../fields.ts';
import { amounts, column, textTable, timeText } from '../tables.ts';

/** Cases for a terminal. */
export const caseTable = (cases: readonly Case[]): string =>
  textTable(cases, [
    'id',
    column('why', caseTitle),
    // Below zero where providers did less than is paid for.
    amounts('etb', ({ amount }) => (parseMoney(amount) === 0n ? null : amount)),
    'provider',
    'reference',
    'partner',
    column('about', caseAbout),
    'openedAt',
    column('closed', ({ closedAt, closer }) =>
      closedAt === null ? null : `${timeText(closedAt)}${closer === null ? '' : ` by ${closer}`}`,
    ),
    column('end', ({ borneBy, amount }) =>
      borneBy === null ? null : settledWords(borneBy, amount),
    ),
    column('note', ({ note, message }) => note ?? message),
  ]);

export const commands = {
  'cases list': lookCommand({
    details:
      'Each case has a workflow in the Temporal UI. The page of a case at /support and "cases show" ' +
      'show what to do and what each choice moves. "cases settle" settles a case.',
    fields: {
      all: flag('Also the newest closed cases'),
      provider: optional(oneOf(...statementProviderNames), 'Only those of one provider'),
      limit: rowLimit(100),
    },
    examples: ['', '--provider gsma --all'],
    async look(database, { all, provider, limit }) {
      const cases = await listCases(database, { includeClosed: all, provider, limit });
      return { json: cases, text: caseTable(cases) };
    },
  }),

  'cases show': lookCommand({
    details:
      'Each choice begins with the options that "cases settle" needs: --by, which says who bears ' +
      'the amount, and --facts. If the facts have changed by then, nothing is settled.',
    fields: { case: argument(id, 'The id of the case: see cases list') },
    async look(database, input) {
      const facts = existing(
        await caseFacts(database, String(input.case)),
        `case ${input.case}`,
        'cases list',
      );
      const { found } = facts;
      const { choices, whyNoPayer } = await shownChoicesOf(database, facts);
      const placements = await placementsOfCase(database, found);
      const end = settledCase(found);
      const binding = bindingOfCase(facts);
      const isAlone =
        choices.length === 0 &&
        refuseSettlement(found, facts.order, null, facts.isPayable) === undefined;
      return {
        json: { ...found, placements, choices, facts: binding, whyNoPayer },
        text: [
          caseTable([found]),
          '',
          caseTitle(found),
          ...(found.closedAt === null ? [caseAdvice(found.why)] : []),
          ...(end ? [whoToTell(end, firstDone(placements)?.providerReference)] : []),
          ...placements.flatMap((placement) =>
            placement.observations.map(
              (one) => `${timeText(new Date(one.at))}: ${saidWords(placement, one)}`,
            ),
          ),
          ...choices.map(({ by, moves, afterwards }) =>
            `--by ${by} --facts ${binding}  ${moves} ${afterwards}`.trim(),
          ),
          ...(isAlone ? [`--facts ${binding}  The case is closed. No money is moved.`] : []),
          ...(whyNoPayer === undefined ? [] : [`No --by payer: ${whyNoPayer}`]),
        ].join('\n'),
      };
    },
  }),
};
