import { endDisagreement, findOpenCase } from '../../db/reconciliation/cases.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import { argument, required, text } from '../fields.js';

export const settleDisagreementCommand = changeCommand({
  name: 'settle disagreement',
  summary: 'Say that a payment with another content at the provider has been seen to',
  details:
    'A provider knows a payment or top-up under our reference with another amount, currency or party. ' +
    'The books stay as they are; what has to be corrected is corrected with the provider. It is not ' +
    'asked about any more.',
  fields: {
    reference: argument(text, 'Our reference, as the case in the Temporal UI shows it'),
    note: required(text, 'What it was, and with whom it was cleared; it is kept in the audit log'),
  },
  examples: ['settle disagreement REFERENCE --note "Their typing error, their ticket 4711"'],
  async change(transaction, input) {
    const { reference, note } = input;
    const found = await findOpenCase(transaction, { kind: 'disagreement', reference });
    if (!found) throw new AdminError(`There is no disagreement about ${reference}.`);
    await endDisagreement(transaction, reference);
    const { subject: what, words } = found;
    return {
      subject: { kind: 'partner', id: found.partnerId },
      details: { reference, what, words, note },
      text: `The disagreement about ${what} is settled.`,
    };
  },
});
