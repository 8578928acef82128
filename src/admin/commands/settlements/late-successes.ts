import {
  type SuspenseParty,
  settledWith,
  subjectOf,
  suspenseParties,
} from '../../../db/ledger/suspense.ts';
import {
  findLateSuccess,
  type LateSuccess,
  listLateSuccesses,
  settleLateSuccess,
} from '../../../db/reconciliation/late-successes.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, flag, oneOf, reason, required, text } from '../../fields.ts';
import { suspenseTable } from '../../suspense-table.ts';
import { money } from '../../tables.ts';
import { asCovered } from '../../wallet-cover.ts';

export const listLateSuccessesCommand = lookCommand({
  name: 'list late-successes',
  details:
    'The hold was released before the provider completed the operation, so the partner was not ' +
    'charged: the platform has paid, and the amount is in the account suspense until "settle ' +
    'late-success" assigns it.',
  fields: { all: flag('Include settled ones') },
  examples: ['list late-successes', 'list late-successes --all'],
  async look(database, input) {
    const found = await listLateSuccesses(database, { includeSettled: input.all });
    const rows = found.map((late) => ({ ...late, settledBy: settledWith(late) ?? null }));
    return {
      json: rows.map(({ operationId, settledAccount, ...row }) => row),
      text: suspenseTable(rows),
    };
  },
});

const outcomes: Readonly<Record<SuspenseParty, (late: LateSuccess) => string>> = {
  partner: ({ kind, partnerId }) =>
    `the ${kind === 'payment' ? 'gift' : 'airtime'} wallet of partner ${partnerId} has paid it`,
  platform: () => 'the platform bears it out of its service fees',
  provider: () => 'the provider has taken it back',
};

export const settleLateSuccessCommand = changeCommand({
  name: 'settle late-success',
  details:
    '"partner" charges the wallet that should have paid, which must cover the amount; "platform" ' +
    'charges the service fees; "provider" means that the provider has reversed the operation, so ' +
    'it counts as refused again. Agree with them first: a settlement is final. The voucher of a ' +
    'late payment has its value again: cancel it first if its owner must not spend it twice.',
  fields: {
    reference: argument(text, 'Our reference, as "list late-successes" shows it'),
    by: required(oneOf(...suspenseParties), 'The bearer of the cost'),
    note: required(reason, 'The reason, and the persons who agreed; recorded in the audit log'),
  },
  examples: ['settle late-success REFERENCE --by provider --note "Reversed, their ticket 4711"'],
  async change(transaction, input) {
    const late = await findLateSuccess(transaction, input.reference);
    if (!late)
      throw new AdminError(
        `There is no late success ${input.reference}: see "list late-successes --all".`,
      );
    const earlier = await asCovered(late, settleLateSuccess(transaction, late, input.by));
    if (earlier) return { unchanged: unchangedBy(earlier, input.by) };
    return {
      subject: { kind: 'partner', id: late.partnerId },
      details: {
        reference: late.reference,
        what: subjectOf(late),
        amount: late.amount,
        by: input.by,
        note: input.note,
      },
      text: `Settled ETB ${money(late.amount)} of ${subjectOf(late)}: ${outcomes[input.by](late)}.`,
    };
  },
});

/** @throws {AdminError} when it was settled with another bearer */
function unchangedBy(earlier: LateSuccess, wanted: SuspenseParty): string {
  const bearer = settledWith(earlier);
  if (bearer === wanted) return `It was settled before, by the ${bearer}: nothing was changed.`;
  throw new AdminError(
    `It was settled before, by the ${bearer}, and that cannot be undone: nothing was changed.`,
  );
}
