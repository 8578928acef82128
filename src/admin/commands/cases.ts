import { type Case, findCase, listCases } from '../../db/positions/cases.ts';
import { parseMoney } from '../../domain/money.ts';
import { bearers } from '../../domain/positions/position.ts';
import { caseAdvice, caseTitle } from '../../domain/positions/words.ts';
import { statementProviderNames } from '../../domain/providers.ts';
import { caseFacts, choicesOf, settleCase } from '../../repairs/payment-repairs.ts';
import { type AdminCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  argument,
  flag,
  id,
  oneOf,
  optional,
  reason,
  required,
  wholeNumber,
} from '../fields.ts';
import { column, money, numbers, record, table, time } from '../tables.ts';
import { ask } from './repairs.ts';

/** Cases for a terminal. */
export const caseTable = (cases: readonly Case[]): string =>
  table(cases, [
    numbers('case', ({ id }) => id),
    column('why', ({ why, amount }) => caseTitle(why, parseMoney(amount))),
    numbers('etb', ({ amount }) => (parseMoney(amount) === 0n ? null : money(amount))),
    column('provider', ({ provider }) => provider),
    column('our reference', ({ reference }) => reference),
    column('partner', ({ partner }) => partner),
    column('about', ({ serialNumber, topupId, subject, subjectKind }) =>
      serialNumber !== null
        ? `voucher ${serialNumber}`
        : topupId !== null
          ? `top-up ${topupId}`
          : subjectKind === 'order'
            ? 'lost by a restore'
            : subject,
    ),
    column('opened (utc)', ({ openedAt }) => time(openedAt)),
    column('closed (utc)', ({ closedAt, closedBy }) =>
      closedAt === null ? null : `${time(closedAt)}${closedBy === null ? '' : ` by ${closedBy}`}`,
    ),
    column('note', ({ note, words }) => note ?? words),
  ]);

export const listCasesCommand = lookCommand({
  name: 'list cases',
  details:
    'Open cases, the oldest first. Each has a workflow in the Temporal UI, and a page at /support with what to ' +
    'and what each choice moves; "show case" tells the same here.',
  fields: {
    all: flag('Also the newest closed ones'),
    provider: optional(oneOf(...statementProviderNames), 'Only those of a provider'),
    limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 100 by default'),
  },
  examples: ['list cases', 'list cases --provider gsma --all'],
  async look(database, { all, provider, limit = 100 }) {
    const cases = await listCases(database, { includeClosed: all, provider, limit });
    return { json: cases, text: caseTable(cases) };
  },
});

export const showCaseCommand = lookCommand({
  name: 'show case',
  fields: { case: argument(id, 'Its id, as "list cases" shows it') },
  examples: ['show case 17'],
  async look(database, input) {
    const facts = await caseFacts(database, String(input.case));
    if (!facts) throw new AdminError(`There is no case ${input.case}: see "list cases".`);
    const { found, order } = facts;
    const choices = choicesOf(facts).flatMap(({ by, moves }) => (moves ? [{ by, moves }] : []));
    const placements = (order?.position.placements ?? []).map(
      ({ provider, kind, word, words, providerReference, saidAt }) => ({
        ...{ provider, kind, word, words, providerReference },
        saidAt: saidAt === null ? null : new Date(saidAt),
      }),
    );
    return {
      json: { ...found, placements, choices },
      text: [
        caseTable([found]),
        '',
        caseTitle(found.why, parseMoney(found.amount)),
        caseAdvice(found.why),
        ...placements.map((one) =>
          record({
            Provider: `${one.provider}, ${one.kind}`,
            'It says': one.word,
            Since: one.saidAt && time(one.saidAt),
            'In its words': one.words,
            'Its reference': one.providerReference,
          }),
        ),
        ...choices.map(({ by, moves }) => `--by ${by}: ${moves}`),
      ].join('\n'),
    };
  },
});

export const settle: AdminCommand = {
  name: 'settle',
  details:
    `${settleCase.summary} "show case" tells what each choice moves. A worker books it; "show repair" tells what ` +
    'came of it. Where two people are needed it is refused: people of the service ask and confirm at /support.',
  fields: {
    case: argument(id, 'Its id, as "list cases" shows it'),
    by: optional(oneOf(...bearers), 'Who bears the amount; needed where something is in suspense'),
    partner: optional(id, 'The id of the partner, for what a restore lost'),
    note: required(reason, 'The reason, and the persons who agreed; recorded in the audit log'),
  },
  examples: [
    'settle 17 --by partner --note "Agreed with Hanna, ticket 4711"',
    'settle 18 --by provider --note "Paid back, their MM4711"',
    'settle 19 --note "The payee is right: they have the old name"',
  ],
  async run(context, input) {
    const { case: given, by, partner, note } = input as Readonly<Record<string, unknown>>;
    const found = await findCase(context.database, Number(given));
    if (!found) throw new AdminError(`There is no case ${given}: see "list cases".`);
    if (found.closedAt !== null)
      return { json: { changed: false }, text: `No change: case ${given} is closed.` };
    return ask(settleCase, () => Promise.resolve(String(given)), context, {
      subject: given,
      why: note,
      ...(by !== undefined && { by }),
      ...(partner !== undefined && { partner }),
    });
  },
};
