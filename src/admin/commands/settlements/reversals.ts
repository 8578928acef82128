import {
  type SuspenseParty,
  settledWith,
  subjectOf,
  suspenseParties,
} from '../../../db/ledger/suspense.ts';
import {
  findReversal,
  listReversals,
  type Reversal,
  settleReversal,
} from '../../../db/reconciliation/reversals.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, flag, oneOf, reason, required, text } from '../../fields.ts';
import { suspenseTable } from '../../suspense-table.ts';
import { money } from '../../tables.ts';

export const listReversalsCommand = lookCommand({
  name: 'list reversals',
  details:
    'The provider has returned the money to the platform, but the paying partner has not got it ' +
    'yet: the amount is in the account suspense until "settle reversal" assigns it.',
  fields: { all: flag('Include settled ones') },
  examples: ['list reversals', 'list reversals --all'],
  async look(database, input) {
    const found = await listReversals(database, { includeSettled: input.all });
    const rows = found.map((one) => ({ ...one, settledBy: settledWith(one) ?? null }));
    return {
      json: rows.map(({ operationId, settledAccount, ...row }) => row),
      text: suspenseTable(rows),
    };
  },
});

const outcomes: Readonly<Record<SuspenseParty, (reversal: Reversal) => string>> = {
  partner: ({ kind, partnerId, doneBeside }) => {
    if (kind === 'payment')
      return `the gift wallet of partner ${partnerId} has got it back, with the service fee`;
    const state =
      doneBeside === null ? 'has failed' : `stays delivered, because ${doneBeside} did it, too`;
    return `the airtime wallet of partner ${partnerId} has got it back, and the top-up ${state}`;
  },
  platform: () => 'the platform keeps it among its service fees',
  provider: () => 'the provider has done it again',
};

export const settleReversalCommand = changeCommand({
  name: 'settle reversal',
  details:
    '"partner" returns the amount, and the service fee of a payment, to the wallet that paid; a ' +
    'top-up then counts as failed and can be retried. "platform" keeps the amount, if the ' +
    'partner or the merchant was compensated otherwise. "provider" means that the provider has ' +
    'repeated the operation. Agree with them first: a settlement is final. The voucher of a payment stays redeemed.',
  fields: {
    reference: argument(text, 'Our reference, as "list reversals" shows it'),
    to: required(oneOf(...suspenseParties), 'The recipient'),
    note: required(reason, 'The reason, and the persons who agreed; recorded in the audit log'),
  },
  examples: ['settle reversal REFERENCE --to partner --note "Not restored, their ticket 4711"'],
  async change(transaction, input) {
    const reversal = await findReversal(transaction, input.reference);
    if (!reversal)
      throw new AdminError(`There is no reversal ${input.reference}: see "list reversals --all".`);
    const earlier = await settleReversal(transaction, reversal, input.to);
    if (earlier) return { unchanged: unchangedBy(earlier, input.to) };
    return {
      subject: { kind: 'partner', id: reversal.partnerId },
      details: {
        reference: reversal.reference,
        what: subjectOf(reversal),
        amount: reversal.amount,
        to: input.to,
        note: input.note,
      },
      text: `Settled ETB ${money(reversal.amount)} of ${subjectOf(reversal)}: ${outcomes[input.to](reversal)}.`,
    };
  },
});

/** @throws {AdminError} when it was settled with another recipient */
function unchangedBy(earlier: Reversal, wanted: SuspenseParty): string {
  const recipient = settledWith(earlier);
  if (recipient === wanted)
    return `It was settled before, with the ${recipient}: nothing was changed.`;
  throw new AdminError(
    `It was settled before, with the ${recipient}, and that cannot be undone: nothing was changed.`,
  );
}
