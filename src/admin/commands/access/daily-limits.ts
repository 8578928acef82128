import { lockApiKey, setApiKeyLimits } from '../../../db/access/api-key-power.ts';
import { formatAmount, parseMoney } from '../../../domain/money.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand } from '../../command.ts';
import { argument, decimalAmount, id, optional, type Parser, wholeNumber } from '../../fields.ts';
import { changeSubject, ownerOf } from '../../record-names.ts';

/** A limit, or null for none. */
const orNone = <Value>(parser: Parser<Value>): Parser<Value | null> => ({
  placeholder: `${parser.placeholder}|none`,
  parse: (text) => (text === 'none' ? null : parser.parse(text)),
});

const limitFields = {
  amount: optional(orNone(decimalAmount), 'What vouchers and top-ups of a day may cost in ETB'),
  operations: optional(orNone(wholeNumber(1, 1_000_000_000)), 'How many of them a day may have'),
};

const RULES =
  'Days are in UTC. Vouchers count when they are generated, top-ups and retries when they are sent; ' +
  'a top-up that fails is not given back. Counting begins when a limit is set.';

/** The limits of a key or a partner in words; undefined without any. */
export function dailyLimits(row: {
  readonly dailyAmount: string | null;
  readonly dailyOperations: number | null;
}): string {
  const parts = [
    row.dailyAmount !== null && `ETB ${formatAmount(parseMoney(row.dailyAmount))}`,
    row.dailyOperations !== null && `${row.dailyOperations} operations`,
  ];
  return parts.filter(Boolean).join(', ');
}

export const setDailyLimits = changeCommand({
  name: 'set daily-limits',
  details: `${RULES} The partner cannot change them; it can limit its keys further.`,
  fields: { partner: argument(id, 'The id of the partner: see list partners'), ...limitFields },
  examples: [
    'set daily-limits 1 --amount 50000 --operations 200',
    'set daily-limits 1 --amount none',
  ],
  change: (transaction, input) =>
    changeSubject(transaction, 'partner', input.partner, {
      daily_amount: input.amount,
      daily_operations: input.operations,
    }),
});

export const setKeyLimits = changeCommand({
  name: 'set key-limits',
  details: `${RULES} The partner can change them in the portal; its own limits hold beside them.`,
  fields: { id: argument(id, 'The id of the key: see list api-keys'), ...limitFields },
  examples: ['set key-limits 7 --amount 1000', 'set key-limits 7 --amount none --operations 20'],
  async change(transaction, input) {
    if (input.amount === undefined && input.operations === undefined)
      throw new AdminError('There is nothing to change: add --help to see the options.');
    const key = await lockApiKey(transaction, input.id);
    if (!key) throw new AdminError(`There is no valid API key ${input.id}: see "list api-keys".`);
    const company = ownerOf(key);
    if (company.kind !== 'partner')
      throw new AdminError('Keys of merchants spend nothing, and have no daily limits.');
    const before = { dailyAmount: key.dailyAmount, dailyOperations: key.dailyOperations };
    const after = {
      dailyAmount: input.amount === undefined ? key.dailyAmount : input.amount,
      dailyOperations: input.operations === undefined ? key.dailyOperations : input.operations,
    };
    await setApiKeyLimits(transaction, input.id, after);
    return {
      subject: company,
      details: { keyId: input.id, name: key.name, prefix: key.prefix, before, after },
      text: `API key ${input.id} (${key.name}) may spend in a day: ${dailyLimits(after) || 'no limit'}.`,
    };
  },
});
