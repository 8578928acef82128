import { endDisagreement, findOpenCase } from '../../../db/reconciliation/cases.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand } from '../../command.ts';
import { argument, reason, required, text } from '../../fields.ts';

export const settleDisagreementCommand = changeCommand({
  name: 'settle disagreement',
  details:
    'The provider has our reference with a different amount, currency or party, or has changed once more what is ' +
    'booked as a late success or a reversal. The books do not ' +
    'change; correct the operation with the provider. The service stops polling it. That of a provider ' +
    'that had done nothing, so that another one was asked, is named by our reference and the provider.',
  fields: {
    reference: argument(
      text,
      'Our reference, as the case in the Temporal UI or "list double-deliveries" shows it',
    ),
    note: required(reason, 'The cause, and the persons who cleared it; recorded in the audit log'),
  },
  examples: [
    'settle disagreement REFERENCE --note "Their typing error, their ticket 4711"',
    'settle disagreement REFERENCE:gsma --note "They took it back, their ticket 4711"',
  ],
  async change(transaction, input) {
    const { reference, note } = input;
    const found = await findOpenCase(transaction, { kind: 'disagreement', reference });
    if (!found) throw new AdminError(`There is no disagreement about ${reference}.`);
    await endDisagreement(transaction, reference);
    const { subject: what, words } = found;
    return {
      subject: { kind: 'partner', id: found.partnerId ?? 0 },
      details: { reference, what, words, note },
      text: `The disagreement about ${what} is settled.`,
    };
  },
});
