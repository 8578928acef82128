import { readPasswordHash } from '../../db/portal/portal-accounts.ts';
import type { PersonRequest } from '../page.ts';
import {
  countPassword,
  forgivePassword,
  presentPasswordLimits,
  waitSentence,
} from './sign-in-throttle.ts';

type CheckedPassword =
  | {
      readonly isRight: true;
      /** The hash that the password was compared with. */
      readonly hash: string;
    }
  | {
      readonly isRight: false;
      readonly problem: string;
      /** Set after too many attempts. */
      readonly waitSeconds?: number;
    };

const MAXIMUM_LENGTH = 200;
export const NOT_PRESENT = 'This is not your current password.';

/**
 * Whether the form's field `password` holds the current password of the signed-in person. Protects
 * actions for which a session is not enough. Each attempt is counted before the comparison, as at
 * sign-in.
 */
export async function checkPresentPassword(request: PersonRequest): Promise<CheckedPassword> {
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
