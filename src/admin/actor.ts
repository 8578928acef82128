import { userInfo } from 'node:os';
import { PORTAL_ACTOR } from '../domain/access/access-changes.ts';
import { isStaffActor } from '../domain/repairs/repair.ts';
import { AdminError } from './admin-error.ts';

/** The system user of a command. */
export interface SystemUser {
  readonly id: number;
  /** Undefined where the system has no name for the id, as in some containers. */
  readonly name: string | undefined;
}

/** The user of this process. */
export function systemUser(): SystemUser {
  try {
    const { uid, username } = userInfo();
    return { id: uid, name: username };
  } catch {
    return { id: process.getuid?.() ?? -1, name: undefined };
  }
}

const ROOT_ID = 0;
/** The user of our container image; like root, it does not identify a person. */
const IMAGE_USER = 'node';

/** The log says so of those who have signed in, and companies read in it what their own people did. */
function ownName(name: string): string {
  if (!name.startsWith(PORTAL_ACTOR) && !isStaffActor(name)) return name;
  throw new AdminError(
    'Name yourself: as a person of a company or of the service nobody acts here, but at /portal and /support.',
  );
}

/**
 * The actor for the audit log: the name of `--actor`, otherwise the system user, if it identifies a
 * person.
 *
 * @throws {AdminError} where it does not, and for the name of a person who signs in
 */
export function actorOf(named: string | undefined, { id, name }: SystemUser): string {
  if (named !== undefined) return ownName(named);
  if (name === undefined || id === ROOT_ID || name === IMAGE_USER)
    throw new AdminError(
      `Name yourself with --actor: ${name === undefined ? `user ${id}` : `"${name}"`} does not ` +
        'identify a person, and the audit log records who changed what.',
    );
  return name;
}
