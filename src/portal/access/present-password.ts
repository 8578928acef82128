import { readPasswordHash } from '../../db/portal/portal-accounts.js';
import type { AccountRequest } from '../page.js';
import {
  countPassword,
  forgivePassword,
  presentPasswordLimits,
  waitSentence,
} from './sign-in-throttle.js';

type CheckedPassword =
  | {
      readonly isRight: true;
      /** What the password was held against. */
      readonly hash: string;
    }
  | {
      readonly isRight: false;
      readonly problem: string;
      /** Where too many were tried. */
      readonly waitSeconds?: number;
    };

const MAXIMUM_LENGTH = 200;
export const NOT_PRESENT = 'This is not your present password.';

/**
 * Whether the form's field `password` holds the present password of who is signed in, for what a
 * session alone must not do. Each is counted before it is looked at, as in signing in.
 */
export async function checkPresentPassword(request: AccountRequest): Promise<CheckedPassword> {
  const { services, passwords, session, form } = request;
  const given = form.text('password');
  const limits = presentPasswordLimits(request);
  const waitSeconds = await countPassword(request, limits);
  if (waitSeconds !== undefined)
    return { isRight: false, problem: waitSentence(waitSeconds), waitSeconds };
  const hash = await readPasswordHash(services.database, session.accountId);
  const isRight = given.length <= MAXIMUM_LENGTH && (await passwords.fits(given, hash));
  if (!isRight || hash === null) return { isRight: false, problem: NOT_PRESENT };
  await forgivePassword(request, limits);
  return { isRight: true, hash };
}
