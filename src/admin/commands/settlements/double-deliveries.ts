import { type SuspenseParty, subjectOf, suspenseParties } from '../../../db/ledger/suspense.ts';
import {
  type DoubleDelivery,
  findDoubleDelivery,
  listDoubleDeliveries,
  settleDoubleDelivery,
} from '../../../db/providers/double-delivery-cases.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, flag, oneOf, reason, required, text } from '../../fields.ts';
import { column, money, numbers, table, time } from '../../tables.ts';
import { asCovered } from '../../wallet-cover.ts';

export const listDoubleDeliveriesCommand = lookCommand({
  name: 'list double-deliveries',
  details:
    'A provider said that it had done nothing, so another one was asked; later the first one said that ' +
    'it had done it. The platform has paid both, and the second amount is in the account suspense until ' +
    '"settle double-delivery" assigns it. One whose operation is still on hold is not booked yet. Of one ' +
    'with another content, such as another amount, nothing is booked: clear it with the provider, and ' +
    'then "settle disagreement".',
  fields: { all: flag('Include settled ones') },
  examples: ['list double-deliveries', 'list double-deliveries --all'],
  async look(database, input) {
    const rows = await listDoubleDeliveries(database, { includeSettled: input.all });
    return {
      json: rows.map(({ operationId, failoverId, ...row }) => row),
      text: table(rows, [
        column('found (utc)', (row) => time(row.foundAt)),
        column('what', subjectOf),
        numbers('partner', (row) => row.partnerId),
        numbers('etb', (row) => money(row.amount)),
        column('name', (row) => row.name),
        column("first provider's reference", (row) => row.providerReference),
        column('state', stateOf),
      ]),
    };
  },
});

function stateOf(double: DoubleDelivery): string {
  const { difference, settledAt, settledBy, isHeld, takenBack } = double;
  if (difference !== null) return settledAt ? 'cleared' : 'another content';
  if (settledBy !== null) return settledBy;
  return isHeld
    ? 'on hold'
    : `open${takenBack === null ? '' : ', the other one took its own back'}`;
}

const outcomes: Readonly<Record<SuspenseParty, (double: DoubleDelivery) => string>> = {
  partner: ({ kind, partnerId }) =>
    `the ${kind === 'payment' ? 'gift' : 'airtime'} wallet of partner ${partnerId} has paid it`,
  platform: () => 'the platform bears it out of its service fees',
  provider: ({ provider }) => `${provider} has given it back`,
};

export const settleDoubleDeliveryCommand = changeCommand({
  name: 'settle double-delivery',
  details:
    '"provider" means that the first one has given its amount back; "partner" charges the wallet that paid ' +
    'once, which must cover the amount; "platform" charges the service fees. Agree with them first: a ' +
    'settlement is final. What the other one takes back is no reason for "provider": it is booked apart, ' +
    'and stands in "list reversals". If the first one is to stay then, settle both with the platform.',
  fields: {
    name: argument(
      text,
      'Our reference and the first provider, as "list double-deliveries" shows it',
    ),
    by: required(oneOf(...suspenseParties), 'The bearer of the cost'),
    note: required(reason, 'The reason, and the persons who agreed; recorded in the audit log'),
  },
  examples: [
    'settle double-delivery REFERENCE:gsma --by provider --note "Reversed, their ticket 4711"',
  ],
  async change(transaction, { name, by, note }) {
    const double = await findDoubleDelivery(transaction, name);
    if (!double)
      throw new AdminError(
        `There is no double delivery ${name}: see "list double-deliveries --all".`,
      );
    if (double.difference !== null)
      throw new AdminError(
        `${double.provider} has another content: clear it, and then "settle disagreement ${name}". Nothing was changed.`,
      );
    if (double.isHeld)
      throw new AdminError(
        `The ${subjectOf(double)} is still on hold: what it is depends on its outcome. Nothing was changed.`,
      );
    if (double.settledBy === null && !double.isBooked)
      throw new AdminError(
        'It has ended since, and the next reconciliation books it. Nothing was changed.',
      );
    const earlier = await asCovered(double, settleDoubleDelivery(transaction, double, by));
    if (earlier?.settledBy === by)
      return { unchanged: `It was settled before, by the ${by}: nothing was changed.` };
    if (earlier)
      throw new AdminError(
        `It was settled before, by the ${earlier.settledBy}, and that cannot be undone: nothing was changed.`,
      );
    const { amount, provider, partnerId } = double;
    return {
      subject: { kind: 'partner', id: partnerId },
      details: { reference: double.reference, provider, what: subjectOf(double), amount, by, note },
      text: `Settled ETB ${money(amount)} of ${subjectOf(double)}: ${outcomes[by](double)}.`,
    };
  },
});
