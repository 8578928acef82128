import type { Case } from '../../../db/positions/cases.ts';
import { parseMoney } from '../../../domain/money.ts';
import { caseTitle } from '../../../domain/positions/words.ts';
import { column, money, numbers, table, time } from '../../tables.ts';

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
