import { renewEventEpoch } from '../../../db/events/epoch.ts';
import { setLowBalance } from '../../../db/ledger/low-balances.ts';
import { formatGroupedAmount, formatMoney, type Money } from '../../../domain/money.ts';
import { changeCommand } from '../../command.ts';
import { amount, id, oneOf, type Parser, required } from '../../fields.ts';
import { requireSubject } from '../../record-names.ts';

const threshold: Parser<Money | null> = {
  placeholder: 'amount|none',
  parse: (text) => (text === 'none' ? null : amount.parse(text)),
};

export const setLowBalanceCommand = changeCommand({
  name: 'set low-balance',
  details:
    'The event comes once each time the balance falls below the threshold. Setting a threshold above ' +
    'the balance tells nothing until the balance has risen and fallen again.',
  fields: {
    partner: required(id, 'The id of the partner'),
    wallet: required(oneOf('gift', 'airtime'), 'gift pays for vouchers, airtime for top-ups'),
    threshold: required(threshold, 'In ETB, with at most 2 decimals; "none" for no event'),
  },
  examples: [
    'set low-balance --partner 1 --wallet gift --threshold 10000',
    'set low-balance --partner 1 --wallet airtime --threshold none',
  ],
  async change(transaction, input) {
    const { name } = await requireSubject(transaction, 'partner', input.partner);
    const wanted = { partnerId: input.partner, wallet: input.wallet, threshold: input.threshold };
    const before = await setLowBalance(transaction, wanted);
    const after = wanted.threshold === null ? null : formatMoney(wanted.threshold);
    if (before === after)
      return { unchanged: `No change: partner ${input.partner} already has this threshold.` };
    const shown =
      wanted.threshold === null ? 'none' : `ETB ${formatGroupedAmount(wanted.threshold)}`;
    return {
      subject: { kind: 'partner', id: input.partner },
      details: { wallet: wanted.wallet, lowBalance: { from: before, to: after } },
      text: `Set the low balance of the ${wanted.wallet} wallet of partner ${input.partner} (${name}): ${shown}`,
    };
  },
});

export const renewEventEpochCommand = changeCommand({
  name: 'renew event-epoch',
  details:
    'Run it after a restore from a backup, before the processes start: readers of the log get 410 ' +
    'and begin again.',
  fields: {},
  examples: ['renew event-epoch'],
  async change(transaction) {
    const epochId = await renewEventEpoch(transaction);
    return {
      subject: { kind: 'event-epoch', id: epochId },
      details: {},
      text: 'Renewed the epoch of the event log: cursors from before are refused',
    };
  },
});
