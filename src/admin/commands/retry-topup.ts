import { requestRetry } from '../../db/operator-commands.ts';
import { topupFactsForRepair } from '../../db/repairs/facts.ts';
import { lockTopup } from '../../db/topups/topups.ts';
import { parseMoney } from '../../domain/money.ts';
import { retryTopUp } from '../../repairs/top-up-repairs.ts';
import { changeCommand } from '../command.ts';
import { AdminError, argument, id, msisdn, optional, reason, required } from '../fields.ts';
import { requireSmall } from './repairs.ts';

export const retryTopUpCommand = changeCommand({
  name: 'retry top-up',
  details:
    "A worker holds the money in the partner's wallet again and sends the top-up. Only a failed " +
    'top-up can be retried. The signal "retry" in the Temporal UI does the same. For another number ' +
    'ask with "repair retry-top-up"; from REPAIR_CONFIRM_FROM on ask at /support for that repair, which ' +
    'another person confirms.',
  fields: {
    topUp: argument(id, 'The number of the top-up, its transactionId'),
    msisdn: optional(msisdn, 'Another number is refused: ask with "repair retry-top-up"'),
    note: required(reason, 'The reason; recorded in the audit log'),
  },
  examples: ['retry top-up 17 --note "The operator works again, ticket 4711"'],
  async change(transaction, input, context) {
    if (input.msisdn !== undefined)
      throw new AdminError(
        'To another number it is a repair: nothing was changed. Ask with ' +
          `"repair ${retryTopUp.name} ${input.topUp} --msisdn … --why …".`,
      );
    const topup = await lockTopup(transaction, { id: input.topUp });
    if (!topup) throw new AdminError(`There is no top-up ${input.topUp}.`);
    if (topup.status !== 'FAILED')
      throw new AdminError(`Top-up ${topup.id} cannot be retried: it is ${topup.status}.`);
    if (topup.is_blocked)
      throw new AdminError(
        `Top-up ${topup.id} cannot be retried: it may have been delivered. Settle its case first: see "list cases".`,
      );
    const facts = await topupFactsForRepair(transaction, topup.id);
    requireSmall(parseMoney(facts?.amount ?? '0'), context, retryTopUp);
    const attempt = topup.attempt + 1;
    const requested = await requestRetry(transaction, {
      actor: context.actor(),
      topup_id: topup.id,
      attempt,
    });
    if (!requested)
      return { unchanged: `Attempt ${attempt} of top-up ${topup.id} is already queued.` };
    return {
      subject: { kind: 'partner', id: topup.partner_id },
      details: {
        topUp: topup.id,
        attempt,
        note: input.note,
      },
      text:
        `Attempt ${attempt} of top-up ${topup.id} is queued for a worker; its page in the Temporal UI ` +
        'shows the result.',
    };
  },
});
