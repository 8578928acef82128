/** What a line of a provider's statement is. */
export type StatementKind = 'payment' | 'reversal' | 'top-up';

/** How a statement and our books differ, in the order of lists. */
export const breakTypes = [
  'missing-here',
  'unordered',
  'missing-there',
  'amount',
  'currency',
  'duplicate',
  'reversed',
  'late',
] as const;
export type BreakType = (typeof breakTypes)[number];

/** What each type means, for people. */
export const breakMeanings: Readonly<Record<BreakType, string>> = {
  'missing-here': 'The provider did it, and our books have nothing that was paid or delivered',
  unordered: 'Money left our account by no payment or top-up, such as a transfer or a withdrawal',
  'missing-there': 'Our books say that it was done, and the statement does not have it',
  amount: 'The provider has another amount',
  currency: 'The provider has another currency',
  duplicate: 'The provider did it more than once under one reference of ours',
  reversed: 'The provider took it back, and our books do not say so',
  late: 'Near midnight, or without an outcome yet: it closes itself',
};

/** What a person does about a break that does not close by itself. */
const remedies: Readonly<Record<BreakType, string>> = {
  'missing-here':
    'With a reference of ours that our books refused, the reconciliation asks the provider again, and ' +
    'a late success becomes a case of its own, or a disagreement where one is booked already. One that is still on hold here has a case that settles ' +
    'it. Without a reference of ours, ask the provider who ordered it: the ' +
    'money left our account. Change its keys where nobody can say.',
  unordered:
    'Where we have moved it ourselves, settle it with the receipt. Where we have paid it in, the provider ' +
    'names our account in another way: add that name to MOBILE_MONEY_ACCOUNT, and compare the day ' +
    'again. Where nobody of us did it, ask the provider who ordered it, and change its keys.',
  'missing-there':
    'Ask the provider by our reference. Where it did nothing, the company that paid must get its money ' +
    'back, and the owner or merchant what was promised: repair the redemption or the top-up.',
  amount:
    'Ask the provider for its receipt. Claim back what it paid too much; pay by hand what it paid too ' +
    'little, and note the receipt of that.',
  currency:
    'Ask the provider why it used another currency, and pay out nothing more until that is clear.',
  duplicate:
    'The provider was paid for once and did it twice: claim the second one back by its reference.',
  reversed:
    'The reconciliation asks the provider about it. Where it confirms the reversal, a case of its own ' +
    'opens: a reversal, or a disagreement where a change of it is booked already. What was borne as a double ' +
    'delivery goes to whoever bore it. Otherwise ask the provider.',
  late: 'Nothing: it closes itself, or becomes another break.',
};

/** What a person does about a break of a type, before it is settled. */
export const remedyOf = (type: BreakType): string => remedies[type];

const GUIDE = 'docs/guides/reconcile-a-statement.md';

/** What a person does about a break, or about a statement that was not compared. */
export function statementAdvice(one: {
  readonly kind: 'break' | 'statement';
  /** The id of the break, or provider and day. */
  readonly reference: string;
  /** The type of the break. */
  readonly words: string | null;
}): string {
  if (one.kind === 'statement') {
    const [provider, day] = one.reference.split(':');
    const command = `npm run admin -- reconcile --provider ${provider} --day ${day}`;
    return (
      `See why with \`${command}\`. Where the provider cannot be asked, give its file with ` +
      '`--file`; where there are too many breaks, look for the one cause first, then allow them with ' +
      `\`--maximum-breaks\`: ${GUIDE}. This case ends once the day is compared.`
    );
  }
  const type = breakTypes.find((name) => name === one.words);
  return (
    `${type ? remedyOf(type) : ''} When it is clear: \`npm run admin -- settle break ` +
    `${one.reference} --note …\`. More: ${GUIDE}.`
  );
}
