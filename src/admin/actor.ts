import { userInfo } from 'node:os';
import { AdminError } from './admin-error.js';

/** The user of the system that a command runs as. */
export interface SystemUser {
  readonly id: number;
  /** Undefined where the system has no name for it, as in some containers. */
  readonly name: string | undefined;
}

/** Whoever runs this process. */
export function systemUser(): SystemUser {
  try {
    const { uid, username } = userInfo();
    return { id: uid, name: username };
  } catch {
    return { id: process.getuid?.() ?? -1, name: undefined };
  }
}

const ROOT_ID = 0;
/** The user of our container image: like root, it is whoever may enter. */
const IMAGE_USER = 'node';

/**
 * Who is recorded in the audit log: whom `--actor` names, else the user of the system, where that
 * is one person.
 *
 * @throws {AdminError} where it can be anybody
 */
export function actorOf(named: string | undefined, { id, name }: SystemUser): string {
  if (named !== undefined) return named;
  if (name === undefined || id === ROOT_ID || name === IMAGE_USER)
    throw new AdminError(
      `Say who you are with --actor: ${name === undefined ? `user ${id}` : `"${name}"`} can be ` +
        'anybody, and the audit log keeps who changed what.',
    );
  return name;
}
