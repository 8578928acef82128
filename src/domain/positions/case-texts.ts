import { formatGroupedAmount, type Money, magnitudeOf, parseMoney } from '../money.ts';
import { providerName } from '../providers.ts';
import { quoted } from '../refusals.ts';
import type { ObservationSource, PlacementKind, Said } from './placement.ts';
import {
  type Bearer,
  type Difference,
  difference,
  differenceOf,
  doersOf,
  mayCharge,
  mayCredit,
  mayPutRight,
  netDone,
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
  amount: 'A provider did another amount',
  'taken-back': 'A provider took it back',
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

/** The subject of a case: a voucher, a top-up, or the day of a statement. */
export function caseAbout({
  serialNumber,
  topupId,
  subjectKind,
  subject,
}: {
  readonly serialNumber: string | null;
  readonly topupId: number | null;
  readonly subjectKind: 'order' | 'line' | 'statement' | 'balance';
  readonly subject: string;
}): string {
  if (serialNumber !== null) return `Voucher ${serialNumber}`;
  if (topupId !== null) return `Top-up ${topupId}`;
  if (subjectKind === 'order') return 'Lost by a restore';
  return subjectKind === 'line' ? 'None of ours' : subject;
}

interface ToldObservation {
  readonly source: ObservationSource;
  readonly said: Said;
  /** Decimal string. */
  readonly done: string;
  readonly message: string | null;
  readonly providerReference: string | null;
}

/** An observation in a sentence, with the words of the provider and its reference. */
export function saidWords(
  placement: { readonly kind: PlacementKind; readonly provider: string },
  { source, said, done, message, providerReference }: ToldObservation,
): string {
  const provider = providerName(placement.provider);
  if (said === 'none') return `${provider} has not answered.`;
  const teller = source === 'statement' ? `The statement of ${provider}` : provider;
  const speaks =
    source === 'person' ? `An operator booked that ${provider}` : `${teller} says that it`;
  const amount = etb(parseMoney(done));
  const deeds = {
    pending: 'is still working on it',
    nothing: 'did nothing',
    done: placement.kind === 'reversal' ? `took ${amount} back` : `did ${amount}`,
    undone: 'took it back',
    other: 'has something else under our reference',
  } as const;
  const isNamed = providerReference !== null && (said === 'done' || said === 'undone');
  const words = quoted(message ?? '');
  return `${speaks} ${deeds[said]}${isNamed ? `, reference ${providerReference}` : ''}${words && `: ${words}`}.`;
}

const advices: Readonly<Record<CaseWhy, string>> = {
  difference: 'Agree who bears the amount, then settle the case.',
  unclear:
    'Nothing was booked. Ask the provider what it has under our reference. If it is our order, settle the case. ' +
    'Another answer of the provider opens a new case.',
  silence:
    'A callback or a statement brought news, and the provider has not explained it for three days. The service asks ' +
    'once a day, and an answer ends the case. Ask the provider, then settle the case.',
  unbooked:
    'The money stays on hold, and the workflow tries again. The log of the worker has the error of the database: ' +
    'remove its cause. The case ends with the booking.',
  foreign:
    'No money was moved in our books. Find out who ordered it. If none of us did, change our keys at the provider. ' +
    'Then settle the case.',
  unread:
    'See why with the command "money reconcile". Where the provider cannot be asked, give its file with --file; allow many ' +
    'differences with --maximum. The case ends when the day is compared.',
  balance:
    'Our balance at the provider fell by more than our orders and its fees. Compare its list of movements with ours, ' +
    'then settle the case.',
};

/** The task of a person about a case. */
export const caseAdvice = (why: CaseWhy): string => advices[why];

/** How a line of a statement, or an order without one, differs from our books. */
export type LineFault = 'foreign' | 'repeated' | 'absent';

interface DifferingLine {
  readonly provider: string;
  readonly day: string;
  readonly kind: PlacementKind;
  /** The amount with its currency. */
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
  const fromReceiver = kind === 'payment' ? ` from ${merchant}` : '';
  switch (what) {
    case 'late': {
      const gainers = settledWith({ position, names }, (sum) => sum < 0n);
      const has = gainers.length > 1 ? 'have' : 'has';
      const whoPaid =
        gainers.length > 0 ? `${gainers.join(' and ')} ${has} the money` : 'nobody paid for it';
      return `${provider} ${didWith(amount)}, and ${whoPaid}.`;
    }
    case 'twice':
      return `${doersOf(position).map(providerName).join(' and ')} together ${didWith(`${amount} too much`)}.`;
    case 'amount':
      return netDone(position) < 0n
        ? `${provider} took ${amount} more back${fromReceiver} than it had ${kind === 'payment' ? 'paid' : 'delivered'}.`
        : `${provider} ${didWith(`${amount} ${difference(position) > 0n ? 'more' : 'less'} than is paid for`)}.`;
    case 'taken-back':
      return `${provider} took ${amount} back${fromReceiver}, and ${payersOf({ kind, position, names }).join(' and ')} paid.`;
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
  const receiver = receiverOf(borne);
  const owed = isShort ? ` for ${receiver}` : '';
  return [
    ...payer,
    {
      by: 'partner',
      moves: `${partnerOf(names)} ${isMore ? 'pays' : 'gets'} ${etb(open)} ${isMore ? 'from' : 'into'} its ${walletOf(borne)}${isShort ? ',' : ''}${owed}.`,
      toFees: 0n,
      toWallet: -open,
    },
    {
      by: 'platform',
      moves: `Our fees ${isMore ? 'pay' : 'keep'} ${etb(open)}${owed}.`,
      toFees: -open,
      toWallet: 0n,
    },
    ...(mayPutRight(position)
      ? [
          {
            by: 'provider',
            moves: `${provider} already ${deedOf(borne)}.`,
            toFees: 0n,
            toWallet: 0n,
          } as const,
        ]
      : []),
  ];
}

/** The end of a sentence: how a provider has put the difference right. */
function deedOf({ kind, position }: BorneOrder): string {
  const open = difference(position);
  if (open > 0n) return `gave ${etb(open)} back`;
  const verb = kind === 'payment' ? 'paid' : 'delivered';
  return differenceOf(position) === 'amount'
    ? `${verb} the missing ${etb(open)}`
    : `${verb} ${etb(open)} again`;
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
  const withFee = fee > 0n ? ', fee included' : '';
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
      (below(feesLeft)
        ? `That leaves ETB ${formatGroupedAmount(feesLeft)}.`
        : `Our fees have ${etb(feesLeft)} then.`),
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

/** A case that a person has settled, for people who look at its order later. */
export interface SettledCase {
  readonly kind: BorneOrder['kind'];
  readonly difference: Difference;
  readonly by: Bearer;
  /** The amount that was in suspense before. */
  readonly amount: Money;
  readonly names: CaseNames;
}

const receiverOf = ({ kind, names }: Pick<SettledCase, 'kind' | 'names'>): string =>
  kind === 'payment' ? (names.merchant ?? 'the merchant') : 'the customer';

/**
 * One sentence: who must be told of a settled case. The partner tells the customer of a top-up.
 * @param reference of the provider, for a late payment
 */
export function whoToTell(settled: SettledCase, reference?: string | null): string {
  const { kind, difference: what, by, amount, names } = settled;
  const isMore = amount > 0n;
  const partner = names.partner ?? 'the partner';
  const receiver = receiverOf(settled);
  if (what === 'lost')
    return by === 'partner' ? `Tell ${partner} that it pays ${etb(amount)}.` : NOBODY;
  if (what === 'amount' && !isMore && (by === 'partner' || by === 'platform'))
    return `Tell ${receiver}${by === 'partner' ? ` and ${partner} that ${partner} pays` : ' that we pay'} the missing ${etb(amount)}, outside this service.`;
  const fact = factOf(settled, reference);
  const isBearing = by === 'partner';
  const borne = isMore ? 'it pays' : 'it got the money';
  if (kind === 'payment')
    return `Tell ${receiver} that ${fact}${isBearing ? `, and ${partner} that ${borne}` : ''}.`;
  const isSurplus = what === 'twice' || (what === 'amount' && isMore);
  if (isSurplus && !isBearing) return NOBODY;
  return `Tell ${partner} that ${fact}${isBearing ? `, and that ${borne}` : ''}.`;
}

const NOBODY = 'Nobody needs to be told.';

/** What the merchant of a payment, or the partner of a top-up, must know of a settled case. */
function factOf(
  { kind, difference: what, by, amount, names }: SettledCase,
  reference: string | null | undefined,
): string {
  const provider = names.provider ?? 'the provider';
  const sum = etb(amount);
  const isPayment = kind === 'payment';
  if (by === 'provider')
    return amount > 0n
      ? `${provider} gave us ${sum} back${isPayment && what === 'late' ? ': it claims again' : ''}`
      : `${provider} ${isPayment ? 'paid it' : 'delivered'} the missing ${sum}`;
  if (what === 'taken-back') return `${sum} was taken back`;
  if (what === 'late')
    return isPayment
      ? `it was paid ${reference ? `under ${reference}` : sum}`
      : `${provider} delivered ${sum}`;
  return `${isPayment ? 'it' : 'the customer'} got ${sum} too much`;
}

/**
 * How much a receiver got in place of the ordered amount, and who bears the difference; undefined where it got the
 * ordered amount. `providers`: those that did something.
 */
export function otherAmountWords(
  settled: SettledCase,
  {
    ordered,
    done,
    providers,
  }: { readonly ordered: Money; readonly done: Money; readonly providers: readonly string[] },
): string | undefined {
  const { kind, by, names } = settled;
  if (done === ordered || done <= 0n) return undefined;
  const isOurs = by === 'platform';
  const bearer = isOurs ? 'we' : by === 'partner' ? partnerOf(names) : bearerNames[by];
  const end =
    done > ordered
      ? `${isOurs ? 'bear' : 'bears'} the difference`
      : `${isOurs ? 'have' : 'has'} the rest`;
  const did = kind === 'payment' ? `paid ${receiverOf(settled)}` : 'delivered';
  return `${providers.join(' and ')} ${did} ${etb(done)} where ${etb(ordered)} was ordered, and ${bearer} ${end}.`;
}

/** The possible bearers, for people. */
export const bearerNames: Readonly<Record<Bearer, string>> = {
  payer: 'The payer',
  partner: 'The partner',
  platform: 'The platform',
  provider: 'The provider',
};
