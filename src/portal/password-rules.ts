const MINIMUM_LENGTH = 12;
const MAXIMUM_LENGTH = 200;

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
  const plain = password.toLowerCase();
  const [mailbox = ''] = about.email.split('@');
  const guesses = [about.email, mailbox.repeat(2), about.companyName.toLowerCase()];
  if (guesses.includes(plain))
    return 'Choose a password that is not your e-mail address or the name of your company.';
  return undefined;
}
