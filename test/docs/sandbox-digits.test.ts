import { expect, test } from 'vitest';
import {
  type BooksBehaviour,
  delaySecondsByDigit,
  reversalRows,
  type SmsBehaviour,
  type SuffixRow,
  shortlySeconds,
  suffixRows,
} from '../../src/sandbox/scenarios.ts';
import { guide } from './guides.ts';

const LOST_ANSWERS = ['connection-dropped', 'unavailable'];

const smsOutcome = (sms: SmsBehaviour | undefined): string => {
  if (sms?.isReceived === false) return 'does not arrive';
  return sms && LOST_ANSWERS.includes(sms.answer)
    ? 'arrives, though its answer is lost'
    : 'arrives';
};

/** What becomes of a payment or a top-up, for a reader who calls it `done`. */
function outcome(
  { books, answer }: { readonly books: BooksBehaviour; readonly answer: string },
  [done, refused]: readonly [string, string],
): string {
  switch (books) {
    case 'completed':
      return LOST_ANSWERS.includes(answer) ? `${done}, though the answer is lost` : done;
    case 'completed-later':
      return `${done} ${shortlySeconds} seconds later`;
    case 'reversed-later':
      return `${done}, taken back ${shortlySeconds} seconds later`;
    case 'pending':
      return 'open';
    case 'failed':
    case 'not-taken':
      return refused;
  }
}

const SUCCESS = { books: 'completed', answer: 'transaction' } as const;

const lineOf = ({ suffix, meaning, sms, payout, airtime }: SuffixRow): string =>
  `| ${[
    `\`${suffix}\``,
    meaning,
    smsOutcome(sms),
    outcome(payout ?? SUCCESS, ['paid', 'refused']),
    outcome(airtime ?? SUCCESS, ['delivered', 'failed']),
  ].join(' | ')} |`;

const linesOf = (prefix: RegExp): string[] =>
  guide('test-your-integration.md')
    .split('\n')
    .filter((line) => prefix.test(line));

test('the guide says of each last two digits what the sandbox does', () => {
  expect(linesOf(/^\| `\d\d` \|/)).toEqual(suffixRows.map(lineOf));
});

test('the guide says how each reversal goes', () => {
  const expected = reversalRows.map(
    ({ suffix, meaning }) => `| ends in \`${suffix}\` | ${meaning} |`,
  );
  expect(linesOf(/^\| ends in /)).toEqual(expected);
});

test('the guide says of each third digit which delay the sandbox adds', () => {
  const expected = Object.entries(delaySecondsByDigit).map(
    ([digit, seconds]) => `| \`${digit}\` | ${seconds} seconds |`,
  );
  expect(linesOf(/^\| `\d` \|/)).toEqual(expected);
});
