import { type SuspenseParty, suspenseParties } from '../../../db/ledger/suspense.ts';
import {
  findRecovered,
  listRecovered,
  type RecoveredPayment,
  settleRecovered,
} from '../../../db/recovery/recovered-payments.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, flag, id, oneOf, optional, reason, required, text } from '../../fields.ts';
import { requireSubject } from '../../record-names.ts';
import { column, money, numbers, table, time } from '../../tables.ts';
import { asCovered } from '../../wallet-cover.ts';

export const listRecoveredPaymentsCommand = lookCommand({
  name: 'list recovered-payments',
  details:
    'Each is in the account suspense until its caller repeats the request, which finds it at the ' +
    'provider, or until "settle recovered-payment" assigns it.',
  fields: { all: flag('Include settled ones') },
  examples: ['list recovered-payments', 'list recovered-payments --all'],
  async look(database, input) {
    const rows = await listRecovered(database, { includeSettled: input.all });
    return {
      json: rows.map(({ operationId, ...row }) => row),
      text: table(rows, [
        column('made (utc)', ({ madeAt }) => time(madeAt)),
        column('what', ({ kind }) => kind),
        column('our reference', ({ reference }) => reference),
        column('provider', ({ provider }) => provider),
        column('provider says', ({ providerStatus }) => providerStatus),
        numbers('etb', ({ amount }) => money(amount)),
        column('party', ({ merchantName, party }) => merchantName ?? party),
        column('voucher', ({ serialNumber }) => serialNumber),
        column('settled by', ({ settledBy }) => settledBy),
      ]),
    };
  },
});

const outcomes: Readonly<Record<SuspenseParty, string>> = {
  partner: 'the wallet of the partner has paid it',
  platform: 'the platform bears it out of its service fees',
  provider: 'the provider did not make it in the end, or has taken it back',
};

export const settleRecoveredPaymentCommand = changeCommand({
  name: 'settle recovered-payment',
  details:
    '"partner" charges the gift wallet, of a top-up the airtime wallet, of --partner, which must cover ' +
    'the amount; "platform" charges the service fees; "provider" means that the provider did not make ' +
    'it in the end, or has taken it back. A voucher of it can be redeemed again afterwards: cancel it ' +
    'first if its owner must not spend it twice. A settlement is final, and a later repetition of ' +
    'the request would charge it once more.',
  fields: {
    reference: argument(text, 'Our reference, as "list recovered-payments" shows it'),
    by: required(oneOf(...suspenseParties), 'The bearer of the cost'),
    partner: optional(id, 'The id of the partner, for --by partner'),
    note: required(reason, 'The reason, and the persons who agreed; recorded in the audit log'),
  },
  examples: [
    'settle recovered-payment REFERENCE --by partner --partner 1 --note "Voucher cancelled, Hanna"',
  ],
  async change(transaction, { reference, by, partner, note }) {
    if ((by === 'partner') !== (partner !== undefined))
      throw new AdminError('--partner belongs to "--by partner", and to nothing else.');
    const found = await findRecovered(transaction, reference);
    if (!found)
      throw new AdminError(
        `There is no recovered payment ${reference}: see "list recovered-payments --all".`,
      );
    if (partner !== undefined) await requireSubject(transaction, 'partner', partner);
    const earlier = await asCovered(
      { ...found, partnerId: partner },
      settleRecovered(transaction, found, by, partner ?? null),
    );
    if (earlier) return { unchanged: `It was settled before, by ${bearerOf(earlier)}.` };
    return {
      subject: partner === undefined ? ofFence : { kind: 'partner', id: partner },
      details: { reference, amount: found.amount, by, note },
      text: `Settled ETB ${money(found.amount)} of ${found.kind} ${reference}: ${outcomes[by]}.`,
    };
  },
});

/** Without a partner, a settlement concerns the platform's books. */
const ofFence = { kind: 'recovered-payments', id: 0 };

const bearerOf = ({ settledBy }: RecoveredPayment): string =>
  settledBy === 'repetition' ? 'the repeated request' : `the ${settledBy}`;
