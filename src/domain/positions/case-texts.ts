import { formatGroupedAmount, type Money, magnitudeOf } from '../money.ts';
import type { PlacementKind } from './placement.ts';
import { type Bearer, difference, mayCharge, mayCredit, type Position } from './position.ts';

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

const titles: Readonly<Record<Exclude<CaseWhy, 'difference'>, string>> = {
  unclear: 'The provider has other content under our reference',
  silence: 'The provider does not explain its news',
  unbooked: "The provider's answer cannot be booked",
  foreign: 'The statement and our books differ',
  unread: 'A statement was not compared',
  balance: 'Money is missing at the provider',
};

/** The title of a case; the sign of the amount says in whose favour the difference is. */
export function caseTitle(why: CaseWhy, amount: Money): string {
  if (why !== 'difference') return titles[why];
  return amount > 0n
    ? 'Providers did more than is paid for'
    : 'Providers did less than is paid for';
}

const advices: Readonly<Record<CaseWhy, string>> = {
  difference:
    'The amount stands in the account suspense. Agree who bears it: the payer (voucher or wallet), the partner, ' +
    'the platform, or the provider, which puts it right. Then settle the case.',
  unclear:
    'Nothing was booked. Ask the provider what it has under our reference. Where it is what we ordered, settle the ' +
    'case. Another answer of the provider opens it again.',
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
    'See why with the command "reconcile". Where the provider cannot be asked, give its file with --file; allow many ' +
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

/** What somebody bears, before a person chooses. */
export interface BearerChoice {
  readonly by: Bearer;
  /** The amount that the choice moves; undefined where the choice is not possible. */
  readonly moves: string | undefined;
}

/** The choices of a case with the amounts that each one moves. */
export function bearerChoices(
  position: Position,
  subject: 'payment' | 'top-up',
): readonly BearerChoice[] {
  const open = difference(position);
  const { price, fee } = position.order;
  const etb = (money: Money) => `ETB ${formatGroupedAmount(magnitudeOf(money))}`;
  const wallet = subject === 'payment' ? 'gift wallet' : 'airtime wallet';
  const payer = subject === 'payment' ? 'voucher' : 'airtime wallet';
  const pays = open > 0n;
  const rest = open - (mayCharge(position) ? price : mayCredit(position) ? -price : 0n);
  const further =
    rest === 0n ? '' : `, and the ${wallet} ${rest > 0n ? 'pays' : 'gets'} ${etb(rest)}`;
  const whole = etb(price + fee);
  const withFee = fee > 0n ? `${whole}, with the service fee of ${etb(fee)}` : whole;
  return [
    {
      by: 'payer',
      moves: mayCharge(position)
        ? `The ${payer} pays ${withFee}${further}.`
        : mayCredit(position)
          ? `The ${payer} gets ${withFee}${further} back.`
          : undefined,
    },
    {
      by: 'partner',
      moves:
        open === 0n
          ? undefined
          : `The ${wallet} of the partner ${pays ? 'pays' : 'gets'} ${etb(open)}.`,
    },
    {
      by: 'platform',
      moves: open === 0n ? undefined : `The service fees ${pays ? 'pay' : 'get'} ${etb(open)}.`,
    },
    {
      by: 'provider',
      moves:
        open === 0n
          ? undefined
          : pays
            ? `The provider has given ${etb(open)} back.`
            : `The provider has done the missing ${etb(open)}.`,
    },
  ];
}
