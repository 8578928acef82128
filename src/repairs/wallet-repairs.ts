import { z } from 'zod';
import type { Database } from '../db/connection.ts';
import {
  correctDeposit,
  findDeposit,
  lockDeposit,
  type MadeDeposit,
} from '../db/ledger/deposits.ts';
import {
  creditGoodwill as credit,
  findGoodwill,
  lockGoodwill,
  partnerBalances,
  serviceFeesBalance,
} from '../db/ledger/ledger.ts';
import {
  amountText,
  formatGroupedAmount,
  type Money,
  magnitudeOf,
  parseMoney,
} from '../domain/money.ts';
import { amountArgument, choiceArgument, referenceArgument, repairKind } from './repair-kind.ts';

/** A deposit with the balance of its wallet. */
type DepositFacts = MadeDeposit & { readonly balance: string };

async function depositFacts(
  database: Database,
  reference: string,
): Promise<DepositFacts | undefined> {
  const deposit = await findDeposit(database, reference);
  if (!deposit) return undefined;
  const { [deposit.wallet]: balance } = await partnerBalances(database, deposit.partnerId);
  return { ...deposit, balance };
}

/** The change of the wallet by a correction; undefined before an amount is typed. */
const changeOf = (
  { present }: DepositFacts,
  args: { readonly amount?: string },
): Money | undefined => (args.amount === undefined ? undefined : parseMoney(args.amount) - present);

export const correctDepositRepair = repairKind({
  name: 'correct-deposit',
  button: 'Book the correction',
  summary:
    'Corrects a deposit to the amount that the bank received, or to 0 if it received nothing. The partner sees the ' +
    'correction in its statement.',
  allowed: 'as often as needed, while the wallet covers the difference',
  subject: 'deposit',
  fields: z.object({
    amount: amountArgument('ETB received (0 for none)', { canBeZero: true }),
  }),
  limits: ({ repairs }) => ({
    amount: `A second person confirms a raise, and a difference of ETB ${formatGroupedAmount(repairs.repairConfirmFrom)} in a day.`,
  }),
  byTwo: {
    why: 'it brings in more than was booked',
    when: (deposit, args) => (changeOf(deposit, args) ?? 0n) > 0n,
  },
  nameOf: async (database, reference) => (await findDeposit(database, reference))?.reference,
  lock: lockDeposit,
  read: depositFacts,
  about: ({ partnerId, reference }) => ({
    company: { kind: 'partner', id: partnerId },
    voucherId: null,
    topupId: null,
    label: `deposit ${reference}`,
  }),
  amountOf: (deposit, args) => magnitudeOf(changeOf(deposit, args) ?? 0n),
  effectOf(deposit, args) {
    const change = changeOf(deposit, args);
    if (change === undefined) return undefined;
    return movesIn(deposit.wallet, parseMoney(deposit.balance), change);
  },
  refuse(deposit, args) {
    const change = changeOf(deposit, args);
    if (change === undefined) return undefined;
    if (change === 0n)
      return `The deposit is ETB ${formatGroupedAmount(deposit.present)} already: there is nothing to correct.`;
    return parseMoney(deposit.balance) + change < 0n
      ? 'The wallet does not cover it any more: cancel vouchers first, or agree with the partner on another deposit.'
      : undefined;
  },
  async carryOut(transaction, deposit, { amount: came }) {
    const { wallet, present } = deposit;
    const amount = parseMoney(came);
    await correctDeposit(transaction, deposit, amount);
    const moved = `ETB ${formatGroupedAmount(magnitudeOf(amount - present))}`;
    return {
      kind: 'done',
      result:
        `The deposit is ETB ${formatGroupedAmount(amount)} now: ` +
        `${moved} ${amount < present ? 'left' : 'came to'} the ${wallet} wallet.`,
    };
  },
});

/** The balance of a wallet before a repair and after it, in a sentence. */
const movesIn = (wallet: string, balance: Money, change: Money): string =>
  `ETB ${formatGroupedAmount(magnitudeOf(change))} ${change < 0n ? 'leaves' : 'goes to'} the ${wallet} wallet: ` +
  `ETB ${formatGroupedAmount(balance)} becomes ETB ${formatGroupedAmount(balance + change)}.`;

interface PartnerFacts {
  readonly id: number;
  readonly name: string;
  readonly balances: Awaited<ReturnType<typeof partnerBalances>>;
  /** Undefined while they are added up. */
  readonly serviceFees: Money | undefined;
}

async function partnerFacts(database: Database, id: string): Promise<PartnerFacts | undefined> {
  const partner = await database
    .selectFrom('partners')
    .select(['id', 'company_name as name'])
    .where('id', '=', Number(id))
    .executeTakeFirst();
  if (!partner) return undefined;
  const balances = await partnerBalances(database, partner.id);
  return { ...partner, balances, serviceFees: await serviceFeesBalance(database) };
}

export const creditGoodwillRepair = repairKind({
  name: 'credit-goodwill',
  isIrreversible: true,
  button: 'Credit the amount',
  summary:
    'The platform pays an amount out of its service fees into a wallet of the partner. This is final.',
  allowed: 'once for each reference',
  subject: 'partner',
  fields: z.object({
    wallet: choiceArgument(
      ['gift', 'airtime'],
      'The wallet: gift pays for vouchers, airtime for top-ups',
    ),
    amount: amountArgument('The amount in ETB, with at most 2 decimals'),
    reference: referenceArgument(
      'The reference of the case, such as a ticket; the partner sees it',
    ),
  }),
  lock: lockGoodwill,
  read: partnerFacts,
  about: ({ id, name }) => ({
    company: { kind: 'partner', id },
    voucherId: null,
    topupId: null,
    label: `partner ${id}, ${name}`,
  }),
  amountOf: (_facts, args) => parseMoney(args.amount),
  effectOf: ({ balances }, { wallet, amount: credited }) =>
    movesIn(wallet, parseMoney(balances[wallet]), parseMoney(credited)),
  refuse({ serviceFees }, { amount: credited }) {
    if (serviceFees === undefined)
      return 'The service fees are being added up: ask again after the next check of the books.';
    return serviceFees < parseMoney(credited)
      ? `The service fees of ETB ${formatGroupedAmount(serviceFees)} do not cover it: credit less, or let an operator record a deposit that the platform pays.`
      : undefined;
  },
  async carryOut(transaction, { id }, { wallet, amount: credited, reference: name }) {
    const earlier = await findGoodwill(transaction, name);
    if (earlier !== undefined)
      return {
        kind: 'refused',
        result: `An amount was credited under ${earlier} before: a further one needs a reference of its own.`,
      };
    const money = parseMoney(credited);
    await credit(transaction, { partnerId: id, wallet, amount: money, reference: name });
    return {
      kind: 'done',
      result: `ETB ${amountText(credited)} went to the ${wallet} wallet.`,
    };
  },
});
