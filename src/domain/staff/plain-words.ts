/** What providers say, by the words that theirs have in common, and what it means for the customer. */
const meanings: readonly (readonly [said: RegExp, meaning: string])[] = [
  [/does not exist|not registered|credit party customer type/i, 'the provider has no such account'],
  [
    /invalid.?credit.?party|invalid.?phone.?number|number is (invalid|not valid)|unsupported.?number/i,
    'the operator does not know this number',
  ],
  [
    /barred|banned|blacklist|do.?not.?disturb|incorrect.?state/i,
    'the number is blocked at its operator',
  ],
  [/maximum balance/i, 'the account would hold more than it may'],
  [
    /insufficient/i,
    'the money of the service at this provider is used up, and an operator must fill it up',
  ],
  [/limitations? on|limit rule|daily limit/i, 'a limit of the operator is reached'],
  [/recently recharged|was recharged/i, 'the number got a top-up a moment ago'],
  [/amount.*(not valid|out of range)/i, 'the operator does not take this amount'],
  [/absent.?subscriber/i, 'the phone is switched off or out of reach'],
  [/credentials were not accepted|api key was not accepted/i, 'the provider does not let us in'],
  [
    /currently.?unavailable|service.?unavailable|internal|gateway|exception|could not route/i,
    'a fault at the provider or the operator, which may pass',
  ],
];

/** What a provider's words mean; undefined where they are not known, or plain enough. */
export const plainWords = (words: string): string | undefined =>
  meanings.find(([said]) => said.test(words))?.[1];
