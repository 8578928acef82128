import { randomUUID } from 'node:crypto';
import { addDeposit, type Deposit, type MadeDeposit } from '../../db/ledger/deposits.js';
import { formatGroupedAmount, formatMoney } from '../../domain/money.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import { amount, id, oneOf, optional, required, text } from '../fields.js';
import { requireSubject } from '../record-names.js';

export const deposit = changeCommand({
  name: 'deposit',
  summary: 'Put money that a partner has paid into one of its wallets',
  details:
    'The reference is what the payment is known by, such as the number of a bank slip. It makes ' +
    'the deposit safe to repeat: the same one again changes nothing and says so.',
  fields: {
    partner: required(id, 'The id of the partner'),
    wallet: required(oneOf('gift', 'airtime'), 'gift pays for vouchers, airtime for top-ups'),
    amount: required(amount, 'In ETB, with at most 2 decimals'),
    reference: optional(text, 'What the payment is known by; one is made up where it is left out'),
  },
  examples: ['deposit --partner 1 --wallet gift --amount 50000 --reference CBE-2026-0042'],
  async change(transaction, input) {
    const { name } = await requireSubject(transaction, 'partner', input.partner);
    const wanted: Deposit = {
      partnerId: input.partner,
      wallet: input.wallet,
      amount: input.amount,
      reference: input.reference ?? randomUUID(),
    };
    const earlier = await addDeposit(transaction, wanted);
    if (earlier) return { unchanged: describeEarlier(earlier, wanted) };
    return {
      subject: { kind: 'partner', id: input.partner },
      details: {
        wallet: wanted.wallet,
        amount: formatMoney(wanted.amount),
        reference: wanted.reference,
      },
      text: `Deposited ${describeDeposit(wanted)} (${name}). Reference: ${wanted.reference}`,
    };
  },
});

/** A deposit in words: its amount, wallet and partner. */
export const describeDeposit = ({ amount: money, wallet, partnerId }: Deposit): string =>
  `ETB ${formatGroupedAmount(money)} to the ${wallet} wallet of partner ${partnerId}`;

/** @throws {AdminError} when the reference belongs to another deposit than the wanted one */
function describeEarlier(earlier: MadeDeposit, wanted: Deposit): string {
  if (earlier.isReversed)
    throw new AdminError(
      `The reference ${earlier.reference} belongs to a deposit of ${describeDeposit(earlier)} that was ` +
        'reversed: give another deposit a --reference of its own.',
    );
  const isSame =
    earlier.partnerId === wanted.partnerId &&
    earlier.wallet === wanted.wallet &&
    earlier.amount === wanted.amount;
  if (isSame)
    return `${describeDeposit(earlier)} was deposited before as ${earlier.reference}: nothing was changed.`;
  throw new AdminError(
    `The reference ${earlier.reference} belongs to a deposit of ${describeDeposit(earlier)}: ` +
      'give another deposit a --reference of its own.',
  );
}
