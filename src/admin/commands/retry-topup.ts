import { requestRetry } from '../../db/operations/operator-commands.js';
import { lockTopup } from '../../db/topups/topups.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import { argument, id, msisdn, optional, required, text } from '../fields.js';

export const retryTopUpCommand = changeCommand({
  name: 'retry top-up',
  summary: 'Make one more attempt of a failed top-up, to another number too',
  details:
    "The money is held again in the partner's wallet and sent, as soon as a worker is there. Only a " +
    'failed top-up can be retried. In the Temporal UI the signal "retry" does the same to the number ' +
    'of before.',
  fields: {
    topUp: argument(id, 'The number of the top-up, its transactionId'),
    msisdn: optional(msisdn, 'Another number that it is sent to'),
    note: required(text, 'Why; it is kept in the audit log'),
  },
  examples: [
    'retry top-up 17 --note "The operator works again, ticket 4711"',
    'retry top-up 17 --msisdn +251911234567 --note "The partner gave the number anew"',
  ],
  async change(transaction, input, { actor }) {
    const topup = await lockTopup(transaction, { id: input.topUp });
    if (!topup) throw new AdminError(`There is no top-up ${input.topUp}.`);
    if (topup.status !== 'FAILED' || topup.is_contradicted)
      throw new AdminError(
        `Top-up ${topup.id} cannot be retried: ` +
          (topup.is_contradicted ? 'it was delivered after all.' : `it is ${topup.status}.`),
      );
    const attempt = topup.attempt + 1;
    const requested = await requestRetry(transaction, {
      actor: actor(),
      topup_id: topup.id,
      attempt,
      msisdn: input.msisdn ?? null,
    });
    if (!requested)
      return { unchanged: `Attempt ${attempt} of top-up ${topup.id} is about to be made already.` };
    return {
      subject: { kind: 'partner', id: topup.partner_id },
      details: {
        topUp: topup.id,
        attempt,
        toAnotherNumber: input.msisdn !== undefined,
        note: input.note,
      },
      text:
        `Attempt ${attempt} of top-up ${topup.id} is made as soon as a worker takes it up; its page in the ` +
        'Temporal UI says how it ended.',
    };
  },
});
