import { formatGroupedAmount, type Money, magnitudeOf } from '../money.ts';
import { providerName } from '../providers.ts';
import type { PlacementKind } from './placement.ts';
import {
  type Bearer,
  type Difference,
  difference,
  differenceOf,
  doersOf,
  mayCharge,
  mayCredit,
  type Position,
  sumBorneBy,
} from './position.ts';

/** Why a person is needed. `unread`: a statement was not compared. `foreign`: a line of a statement is not ours. */
export const caseReasons = [
  'difference',
  'unclear',
  'silence',
  'unbooked',
  'foreign',
  'unread',
  'balance',
] as const;
export type CaseWhy = (typeof caseReasons)[number];

export const caseTitles: Readonly<Record<CaseWhy | Difference, string>> = {
  late: 'A provider did an order after all',
  twice: 'Two providers did one order',
  amount: 'A provider did another amount than is paid for',
  'taken-back': 'A provider took back what it had done',
  lost: 'A provider did an order that a restore lost',
  difference: 'What providers did is not what is paid for',
  unclear: 'The provider has other content under our reference',
  silence: 'The provider does not explain its news',
  unbooked: "The provider's answer cannot be booked",
  foreign: 'The statement and our books differ',
  unread: 'A statement was not compared',
  balance: 'Money is missing at the provider',
};

/** The title of a case. The kind of a difference tells what happened. */
export const caseTitle = ({
  why,
  difference: kind = null,
}: {
  readonly why: CaseWhy;
  readonly difference?: Difference | null;
}): string => caseTitles[kind ?? why];

const advices: Readonly<Record<CaseWhy, string>> = {
  difference: 'Agree who bears the amount, then settle the case.',
  unclear:
    'Nothing was booked. Ask the provider what it has under our reference. Where it is what we ordered, settle the ' +
    'case. Another answer of the provider opens a new case.',
  silence:
    'A callback or a statement brought news, and the provider has not explained it for three days. The service asks ' +
    'once a day, and an answer ends the case. Ask the provider, then settle the case.',
  unbooked:
    'The money stays on hold, and the workflow tries again. The log of the worker has the error of the database: ' +
    'remove its cause. The case ends with the booking.',
  foreign:
    'No money was moved in our books. Find out who ordered it, and change the keys of the provider where nobody ' +
    'did. Settle the case when it is clear.',
  unread:
    'See why with the command "money reconcile". Where the provider cannot be asked, give its file with --file; allow many ' +
    'differences with --maximum. The case ends when the day is compared.',
  balance:
    'The balance fell by more than the provider did for us and charged. Compare its list of movements with ours, ' +
    'then settle the case.',
};

/** The task of a person about a case. */
export const caseAdvice = (why: CaseWhy): string => advices[why];

/** How a line of a statement, or an order without one, differs from our books. */
export type LineFault = 'foreign' | 'repeated' | 'absent' | 'late';

interface DifferingLine {
  readonly provider: string;
  readonly day: string;
  readonly kind: PlacementKind;
  /** With its currency. */
  readonly amount: string;
  readonly providerReference: string | null;
}

/** A sentence about a line that differs. */
export function lineWords(fault: LineFault, line: DifferingLine): string {
  const what = `the ${line.kind} of ${line.amount}`;
  const named = line.providerReference === null ? '' : `, its reference ${line.providerReference}`;
  const at = `of ${line.provider} for ${line.day}`;
  switch (fault) {
    case 'repeated':
      return `The statement ${at} has ${what}${named} once more under our reference.`;
    case 'absent':
      return `Our books say that ${what} was done, and the statement ${at} does not have it.`;
    case 'foreign':
    case 'late':
      return `The statement ${at} has ${what}${named}, and we ordered no such thing.`;
  }
}

/** An order with an amount in suspense, and the facts that decide who can bear it. */
export interface BorneOrder {
  readonly kind: 'payment' | 'top-up';
  /** A restore lost its rows. */
  readonly isLost: boolean;
  /** Whether its voucher has the value of the payment, and is not claimed. */
  readonly isPayable: boolean;
  readonly position: Position;
  readonly names: CaseNames;
}

/** The companies and the provider of a case, as people know them; null where they are not known. */
interface CaseNames {
  readonly partner: string | null;
  readonly merchant: string | null;
  /** The provider that differs most. */
  readonly provider: string | null;
}

/** A sentence about what stands in suspense: who did how much, and for whom. */
export function differenceWords({ kind, position, names }: BorneOrder): string {
  const what = differenceOf(position);
  const amount = etb(difference(position));
  const provider = names.provider ?? 'The provider';
  const merchant = names.merchant ?? 'the merchant';
  const didWith = (object: string) =>
    kind === 'payment' ? `paid ${merchant} ${object}` : `delivered ${object}`;
  switch (what) {
    case 'late': {
      const gainers = settledWith({ position, names }, (sum) => sum < 0n);
      return `${provider} ${didWith(amount)}, and ${gainers.length > 0 ? `${gainers.join(' and ')} got the money for it in an earlier settlement` : 'nobody has paid for it'}.`;
    }
    case 'twice':
      return `${doersOf(position).map(providerName).join(' and ')} together ${didWith(`${amount} too much`)}.`;
    case 'amount':
      return `${provider} ${didWith(`${amount} ${difference(position) > 0n ? 'more' : 'less'} than is paid for`)}.`;
    case 'taken-back':
      return `${provider} took ${amount} back${kind === 'payment' ? ` from ${merchant}` : ''}, and ${payersOf({ kind, position, names }).join(' and ')} paid for it.`;
    case 'lost':
      return `${provider} ${kind === 'payment' ? 'paid' : 'delivered'} ${amount}, and a restore lost the order.`;
    case null:
      return 'Nothing is in suspense.';
  }
}

/** Who paid, or got, an amount in earlier settlements of the same order, and pays or has it still. */
function settledWith(
  { position, names }: Pick<BorneOrder, 'position' | 'names'>,
  isWanted: (sum: Money) => boolean,
): readonly string[] {
  const parties = { partner: partnerOf(names), platform: 'our service' };
  return (['partner', 'platform'] as const)
    .filter((party) => isWanted(sumBorneBy(position, party)))
    .map((party) => parties[party]);
}

/** Who pays for an order now. */
function payersOf(order: Pick<BorneOrder, 'kind' | 'position' | 'names'>): readonly string[] {
  const payer = order.kind === 'payment' ? 'the voucher' : partnerOf(order.names);
  const others = settledWith(order, (sum) => sum > 0n);
  return [...new Set([...(order.position.order.isCharged ? [payer] : []), ...others])];
}

/** The question that a choice answers. */
export const bearerQuestion = ({ position }: Pick<BorneOrder, 'position'>): string =>
  `Who ${difference(position) > 0n ? 'pays' : 'gets'} ${etb(difference(position))}?`;

/** Why `payer` is no choice of its own; undefined where it is one. */
export function whyNoPayer(borne: Omit<BorneOrder, 'names'>): string | undefined {
  const { kind, isLost, isPayable, position } = borne;
  const { isCharged, creditedTo, fee } = position.order;
  if (isLost) return 'The payer is not known: a restore lost the order.';
  if (kind === 'top-up') return 'The payer of a top-up is its partner.';
  if (mayCredit(position)) return undefined;
  if (!mayCharge(position)) {
    if (isCharged !== difference(position) > 0n)
      return 'The voucher bears a whole order, and this amount is a part of one.';
    return isCharged
      ? 'The voucher has paid for the order already.'
      : 'The voucher has not paid for the order, so that nothing returns to it.';
  }
  if (creditedTo === 'partner')
    return fee > 0n ? undefined : 'The value of the voucher is with its partner.';
  return isPayable
    ? undefined
    : 'The voucher does not have this value any more, or is claimed: wait for the end of the claim.';
}

/** The effects of a bearer. Positive amounts are added to an account. */
export interface BearerChoice {
  readonly by: Bearer;
  readonly moves: string;
  readonly toFees: Money;
  readonly toWallet: Money;
}

const etb = (money: Money): string => `ETB ${formatGroupedAmount(magnitudeOf(money))}`;

const walletOf = ({ kind }: Pick<BorneOrder, 'kind'>): string =>
  kind === 'payment' ? 'gift wallet' : 'airtime wallet';

/** The choices of a case, each with an effect of its own; none where nothing is in suspense. */
export function bearerChoices(borne: BorneOrder): readonly BearerChoice[] {
  const { position, names } = borne;
  const open = difference(position);
  if (open === 0n) return [];
  const isMore = open > 0n;
  const payer = whyNoPayer(borne) === undefined ? [payerChoice(borne)] : [];
  const provider = names.provider ?? 'the provider';
  // A part is missing at its receiver, and no settlement pays it there. After a whole order nothing is owed.
  const isShort = !isMore && differenceOf(position) === 'amount';
  const receiver = borne.kind === 'payment' ? (names.merchant ?? 'the merchant') : 'the customer';
  const owes = (who: string) => (isShort ? `, and ${who} it to ${receiver}` : '');
  return [
    ...payer,
    {
      by: 'partner',
      moves: `${partnerOf(names)} ${isMore ? 'pays' : 'gets'} ${etb(open)} ${isMore ? 'from' : 'into'} its ${walletOf(borne)}${owes('owes')}.`,
      toFees: 0n,
      toWallet: -open,
    },
    {
      by: 'platform',
      moves: `Our fees ${isMore ? 'pay' : 'keep'} ${etb(open)}${owes('we owe')}.`,
      toFees: -open,
      toWallet: 0n,
    },
    {
      by: 'provider',
      moves: `By its receipt, ${provider} ${isMore ? `gave ${etb(open)} back` : `${borne.kind === 'payment' ? 'paid' : 'delivered'} the missing ${etb(open)}`}.`,
      toFees: 0n,
      toWallet: 0n,
    },
  ];
}

const partnerOf = ({ partner }: CaseNames): string => partner ?? 'The partner';

const isWithPartner = ({ order }: Position): boolean =>
  !order.isCharged && order.creditedTo === 'partner';

/** The voucher pays the whole order with its fee, or gets it back; a rest is the partner's. */
function payerChoice({ position, names }: BorneOrder): BearerChoice {
  const { price, fee, isCharged } = position.order;
  const open = difference(position);
  const rest = open - (isCharged ? -price : price);
  const isOfPartner = isWithPartner(position);
  const payer = isOfPartner ? partnerOf(names) : 'The voucher';
  const whole = etb(price + fee);
  const moved = isCharged
    ? `gets back ${whole}`
    : `pays ${whole}${isOfPartner ? ' from its gift wallet' : ''}`;
  const withFee = fee > 0n ? ', our fee included' : '';
  const further =
    rest === 0n
      ? ''
      : ` ${partnerOf(names)} ${rest > 0n ? 'pays' : 'gets'} the other ${etb(rest)}.`;
  return {
    by: 'payer',
    moves: `${payer} ${moved}${withFee}.${further}`,
    toFees: isCharged ? -fee : fee,
    toWallet: -rest - (isOfPartner ? price + fee : 0n),
  };
}

/** The balances of accounts before a choice; undefined where they are not known. */
export interface ChoiceBalances {
  readonly fees: Money | undefined;
  readonly wallet: Money | undefined;
}

/** The balances of accounts after a choice, and whether one of them falls below zero. */
export function afterChoice(
  borne: Pick<BorneOrder, 'kind'>,
  { toFees, toWallet }: BearerChoice,
  { fees, wallet }: ChoiceBalances,
): { readonly afterwards: string; readonly isBelowZero: boolean } {
  const left = (balance: Money | undefined, change: Money) =>
    change === 0n || balance === undefined ? undefined : balance + change;
  const [feesLeft, walletLeft] = [left(fees, toFees), left(wallet, toWallet)];
  const below = (money: Money | undefined): money is Money => money !== undefined && money < 0n;
  const name = walletOf(borne);
  const sentences = [
    feesLeft !== undefined &&
      `Our fees ${below(feesLeft) ? 'fall to' : 'have'} ETB ${formatGroupedAmount(feesLeft)}${below(feesLeft) ? '' : ' then'}.`,
    walletLeft !== undefined &&
      (below(walletLeft)
        ? `The ${name} lacks ${etb(walletLeft)}: deposit first.`
        : `The ${name} has ${etb(walletLeft)} then.`),
  ];
  return {
    afterwards: sentences.filter((one) => one !== false).join(' '),
    isBelowZero: below(feesLeft) || below(walletLeft),
  };
}

/** The end of a settled case in a few words. `amount`: a decimal string, what was in suspense. */
export function settledWords(by: Bearer, amount: string): string {
  const isMore = !amount.startsWith('-');
  const verbs = {
    payer: isMore ? 'paid' : 'got it back',
    partner: isMore ? 'paid' : 'got it',
    platform: isMore ? 'paid' : 'kept it',
    provider: isMore ? 'gave it back' : 'did the rest',
  } as const;
  const names = { ...bearerNames, payer: 'The voucher', platform: 'We' };
  return `${names[by]} ${verbs[by]}`;
}

/** The possible bearers, for people. */
export const bearerNames: Readonly<Record<Bearer, string>> = {
  payer: 'The payer',
  partner: 'The partner',
  platform: 'The platform',
  provider: 'The provider',
};
