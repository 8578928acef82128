import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { readableSecret } from '../../crypto/random.ts';
import type { GivenPassword } from '../../db/people/accounts.ts';
import type { PageTools } from '../page.ts';

const MINIMUM_LENGTH = 12;
/** No password is longer: comparing one takes time. */
export const LONGEST_PASSWORD = 200;
/** A longer one is judged by its beginning: time grows with the square of the length. */
const JUDGED_LENGTH = 40;
/** Ways to read disguises, such as 4 for a, that are tried: each takes time. */
const MAXIMUM_DISGUISES = 20;
/** The best of zxcvbn: ten billion attempts at least. */
const MINIMUM_SCORE = 4;

/** The rules for a chosen password, shown on the form. */
export const passwordHint = `At least ${MINIMUM_LENGTH} characters; several words are easy to remember. Use it nowhere else.`;

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Guesses as an attacker does. Loaded by the first password that somebody chooses: its dictionaries take some megabytes. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({
    dictionary,
    graphs: { qwerty: adjacencyGraphs.qwerty },
    l33tMaxSubstitutions: MAXIMUM_DISGUISES,
  });
}

/** Describes what is wrong with a chosen password; undefined for an acceptable one. */
export async function passwordProblem(
  password: string,
  about: { readonly email: string; readonly companyName: string },
): Promise<string | undefined> {
  const characters = [...password];
  if (characters.length < MINIMUM_LENGTH)
    return `Choose a password of at least ${MINIMUM_LENGTH} characters.`;
  if (password.length > LONGEST_PASSWORD)
    return `Choose a password of at most ${LONGEST_PASSWORD} characters.`;
  if (new Set(characters).size < 5)
    return 'Choose a password with more different characters: this one is easy to guess.';
  estimator ??= loadEstimator();
  const judged = joined(password).slice(0, JUDGED_LENGTH);
  if ((await estimator).check(judged, ownWords(about)).score < MINIMUM_SCORE)
    return (
      'This password is easy to guess: it consists of common words, rows of keys, repetitions, ' +
      'your e-mail address or the name of your company. Choose several unrelated words.'
    );
  return undefined;
}

/** Without what separates words: zxcvbn would take it for something that an attacker has to guess. */
const joined = (text: string): string => text.replace(/[\s._-]/g, '');

/** Words of the service and its market. */
const KNOWN_TO_ALL = ['voucher', 'airtime', 'portal', 'ethiopia', 'addis', 'ababa', 'birr'];

/** Words that an attacker knows: the e-mail address, the names, and their parts. */
function ownWords({ email, companyName }: Parameters<typeof passwordProblem>[1]): string[] {
  const whole = [email, companyName, companyName.replace(/[^\p{L}\p{N}]/gu, '')];
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return [...KNOWN_TO_ALL, ...whole, ...parts, ...email.split('@')]
    .map(joined)
    .filter((word) => word.length >= 3);
}

/** A password that somebody gives to a person for the next sign-in: in clear, and as it is stored. */
export async function makeGivenPassword({
  passwords,
  services,
}: Pick<PageTools, 'passwords' | 'services'>): Promise<{
  readonly password: string;
  readonly given: GivenPassword;
}> {
  const password = readableSecret();
  const { portalOneTimePasswordSeconds: lifetimeSeconds } = services.settings.portal;
  const hash = await passwords.make(password);
  return { password, given: { hash, mustChange: true, lifetimeSeconds } };
}
