import { violates } from '../../db/connection.ts';
import { reverseDeposit } from '../../db/ledger/deposits.ts';
import { balanceConstraint } from '../../db/ledger/ledger.ts';
import { formatMoney } from '../../domain/money.ts';
import { undoDeposit } from '../../repairs/wallet-repairs.ts';
import { AdminError } from '../admin-error.ts';
import { changeCommand } from '../command.ts';
import { argument, reason, required, text } from '../fields.ts';
import { describeDeposit } from './deposit.ts';
import { requireSmall } from './repairs/second-person.ts';

export const reverseDepositCommand = changeCommand({
  name: 'reverse deposit',
  details:
    'A deposit can be reversed once, and only while the wallet covers it. The partner sees the ' +
    'deposit and the reversal in its statement. A corrected deposit needs a new reference. From ' +
    'REPAIR_CONFIRM_FROM on ask at /support for the repair undo-deposit, which another person confirms.',
  fields: {
    reference: argument(text, 'The reference of the deposit, as "statement" shows it'),
    reason: required(reason, 'The reason; recorded in the audit log'),
  },
  examples: ['reverse deposit CBE-2026-0042 --reason "Meant for partner 2"'],
  async change(transaction, { reference, reason }, context) {
    const deposit = await reverseDeposit(transaction, reference).catch((error: unknown) => {
      if (!violates(error, balanceConstraint)) throw error;
      throw new AdminError(
        `The wallet no longer covers the deposit ${reference}: nothing was changed. Cancel vouchers ` +
          'first, or agree on another deposit.',
      );
    });
    if (deposit === undefined)
      throw new AdminError(`There is no deposit ${reference}: see "statement".`);
    if (deposit.isReversed)
      return { unchanged: `No change: the deposit ${reference} was already reversed.` };
    const { partnerId, wallet, amount } = deposit;
    requireSmall(amount, context, undoDeposit);
    return {
      subject: { kind: 'partner', id: partnerId },
      details: { wallet, amount: formatMoney(amount), reference, reason },
      text: `Reversed the deposit ${reference}: ${describeDeposit(deposit)}.`,
    };
  },
});
