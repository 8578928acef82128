import { guessBits } from './password-strength.js';

const MINIMUM_LENGTH = 12;
const MAXIMUM_LENGTH = 200;
/** Some ten billion tries. */
const MINIMUM_BITS = 33;

/** What a chosen password must be, for the page that asks for one. */
export const passwordHint = `At least ${MINIMUM_LENGTH} characters; several words are easy to remember. Use it nowhere else.`;

/** What is wrong with a chosen password, in words; undefined where nothing is. */
export function passwordProblem(
  password: string,
  about: { readonly email: string; readonly companyName: string },
): string | undefined {
  const characters = [...password];
  if (characters.length < MINIMUM_LENGTH)
    return `Choose a password of at least ${MINIMUM_LENGTH} characters.`;
  if (password.length > MAXIMUM_LENGTH)
    return `Choose a password of at most ${MAXIMUM_LENGTH} characters.`;
  if (new Set(characters).size < 5)
    return 'Choose a password with more different characters: this one is quickly guessed.';
  if (guessBits(password, ownWords(about)) < MINIMUM_BITS)
    return (
      'This password is quickly guessed: it is made of common words, rows of keys, repetitions, or ' +
      'your e-mail address or the name of your company. Choose several words that do not belong together.'
    );
  return undefined;
}

/** The service and its market. */
const KNOWN_TO_ALL = ['voucher', 'airtime', 'portal', 'ethiopia', 'addis', 'ababa', 'birr'];

/** What guessers know: the address, the names, and their parts. */
function ownWords({ email, companyName }: Parameters<typeof passwordProblem>[1]): string[] {
  const whole = [email, companyName, companyName.replace(/[^\p{L}\p{N}]/gu, '')];
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return [...KNOWN_TO_ALL, ...whole, ...parts, ...email.split('@')].filter(
    (word) => word.length >= 3,
  );
}
