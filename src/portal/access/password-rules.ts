import { guessBits } from './password-strength.ts';

const MINIMUM_LENGTH = 12;
const MAXIMUM_LENGTH = 200;
/** About ten billion attempts. */
const MINIMUM_BITS = 33;

/** The rules for a chosen password, shown on the form. */
export const passwordHint = `At least ${MINIMUM_LENGTH} characters; several words are easy to remember. Use it nowhere else.`;

/** Describes what is wrong with a chosen password; undefined for an acceptable one. */
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
    return 'Choose a password with more different characters: this one is easy to guess.';
  if (guessBits(password, ownWords(about)) < MINIMUM_BITS)
    return (
      'This password is easy to guess: it consists of common words, rows of keys, repetitions, ' +
      'your e-mail address or the name of your company. Choose several unrelated words.'
    );
  return undefined;
}

/** Words of the service and its market. */
const KNOWN_TO_ALL = ['voucher', 'airtime', 'portal', 'ethiopia', 'addis', 'ababa', 'birr'];

/** Words that an attacker knows: the e-mail address, the names, and their parts. */
function ownWords({ email, companyName }: Parameters<typeof passwordProblem>[1]): string[] {
  const whole = [email, companyName, companyName.replace(/[^\p{L}\p{N}]/gu, '')];
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return [...KNOWN_TO_ALL, ...whole, ...parts, ...email.split('@')].filter(
    (word) => word.length >= 3,
  );
}
