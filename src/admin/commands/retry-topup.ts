import { requestRetry } from '../../db/operations/operator-commands.js';
import { lockTopup } from '../../db/topups/topups.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import { argument, id, msisdn, optional, reason, required } from '../fields.js';

export const retryTopUpCommand = changeCommand({
  name: 'retry top-up',
  summary: 'Retry a failed top-up, optionally to another number',
  details:
    "A worker holds the money in the partner's wallet again and sends the top-up. Only a failed " +
    'top-up can be retried. The signal "retry" in the Temporal UI does the same for the previous ' +
    'number.',
  fields: {
    topUp: argument(id, 'The number of the top-up, its transactionId'),
    msisdn: optional(msisdn, 'The new phone number'),
    note: required(reason, 'The reason; recorded in the audit log'),
  },
  examples: [
    'retry top-up 17 --note "The operator works again, ticket 4711"',
    'retry top-up 17 --msisdn +251911234567 --note "The partner corrected the number"',
  ],
  async change(transaction, input, { actor, numbers }) {
    const topup = await lockTopup(transaction, { id: input.topUp });
    if (!topup) throw new AdminError(`There is no top-up ${input.topUp}.`);
    if (topup.status !== 'FAILED' || topup.is_contradicted)
      throw new AdminError(
        `Top-up ${topup.id} cannot be retried: ` +
          (topup.is_contradicted ? 'it was delivered late.' : `it is ${topup.status}.`),
      );
    const attempt = topup.attempt + 1;
    const requested = await requestRetry(transaction, {
      actor: actor(),
      topup_id: topup.id,
      attempt,
      msisdn: input.msisdn === undefined ? null : (await numbers(transaction)).store(input.msisdn),
    });
    if (!requested)
      return { unchanged: `Attempt ${attempt} of top-up ${topup.id} is already queued.` };
    return {
      subject: { kind: 'partner', id: topup.partner_id },
      details: {
        topUp: topup.id,
        attempt,
        toAnotherNumber: input.msisdn !== undefined,
        note: input.note,
      },
      text:
        `Attempt ${attempt} of top-up ${topup.id} is queued for a worker; its page in the Temporal UI ` +
        'shows the result.',
    };
  },
});
