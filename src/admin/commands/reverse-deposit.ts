import { violates } from '../../db/connection.js';
import { reverseDeposit } from '../../db/ledger/deposits.js';
import { balanceConstraint } from '../../db/ledger/ledger.js';
import { formatMoney } from '../../domain/money.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import { argument, required, text } from '../fields.js';
import { describeDeposit } from './deposit.js';

export const reverseDepositCommand = changeCommand({
  name: 'reverse deposit',
  summary: 'Take a deposit that was a mistake out of its wallet again, in full',
  details:
    'It can be done once, and only while the wallet covers it. The partner sees both in its ' +
    'statement. The reference stays used: a right deposit needs one of its own.',
  fields: {
    reference: argument(text, 'What the deposit is known by, as "statement" shows it'),
    reason: required(text, 'Why it was a mistake; it is kept in the audit log'),
  },
  examples: ['reverse deposit CBE-2026-0042 --reason "Meant for partner 2"'],
  async change(transaction, { reference, reason }) {
    const deposit = await reverseDeposit(transaction, reference).catch((error: unknown) => {
      if (!violates(error, balanceConstraint)) throw error;
      throw new AdminError(
        `The wallet does not cover the deposit ${reference} any more, which has been spent in ` +
          'part: nothing was changed. Cancel vouchers of it first, or agree on another deposit.',
      );
    });
    if (deposit === undefined)
      throw new AdminError(`There is no deposit ${reference}: see "statement".`);
    if (deposit.isReversed)
      return { unchanged: `The deposit ${reference} was reversed before: nothing was changed.` };
    const { partnerId, wallet, amount } = deposit;
    return {
      subject: { kind: 'partner', id: partnerId },
      details: { wallet, amount: formatMoney(amount), reference, reason },
      text: `Reversed the deposit ${reference}: ${describeDeposit(deposit)}.`,
    };
  },
});
