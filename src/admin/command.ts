import { userInfo } from 'node:os';
import type { AdminConfig } from '../config/config.ts';
import { addAuditEntries } from '../db/access/calls.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import { isStaffActor, PORTAL_ACTOR } from '../domain/access.ts';
import type { Progress } from '../runtime/process/progress.ts';
import type { Fields, InputOf } from './fields.ts';
import { AdminError } from './fields.ts';
import { PROGRAM } from './groups.ts';

/** The dependencies of commands. */
export interface AdminContext {
  readonly database: Database;
  /**
   * The actor for the audit log; evaluated before any change.
   *
   * @throws {AdminError} where the system user does not identify a person
   */
  readonly actor: () => string;
  readonly settings: AdminConfig;
  /** Shows the progress of a long command on a terminal. */
  readonly progress: Progress;
}

/** The options of every command. */
export interface GlobalOptions {
  readonly json: boolean;
  readonly actor: string | undefined;
}

/** Prepares and runs a called command. */
export interface CommandRunner {
  /** Before the fields of a called command are read: they follow settings. */
  readonly prepare: () => Promise<void>;
  readonly run: (
    command: AdminCommand,
    input: InputOf<Fields>,
    options: GlobalOptions,
  ) => Promise<void>;
}

/** The output of a command. */
export interface Report {
  /** The document that `--json` prints. */
  readonly json: unknown;
  /** The text for people, without a final line break. */
  readonly text: string;
  /** 2 where the command has found something wrong, such as in the books; 0 by default. */
  readonly exitCode?: number;
}

/** A command with its help; its name and its summary are in the table of all-commands.ts. */
export interface AdminCommand {
  /** Further help text. */
  readonly details?: string;
  /** Further help, in separate lines. */
  readonly detailLines?: readonly string[];
  readonly fields: Fields;
  /** Only reads, and much: from a replica where there is one, with the rights of reports. */
  readonly readsEverything?: true;
  /** The words after the name, by example. By default an id for each field that the command needs. */
  readonly examples?: readonly string[];
  run(context: AdminContext, input: InputOf<Fields>): Promise<Report>;
}

type Definition<Given extends Fields> = Omit<AdminCommand, 'fields' | 'run'> & {
  readonly fields: Given;
};

/** A command that only reads. */
export const lookCommand = <Given extends Fields>(
  definition: Definition<Given> & {
    readonly look: (
      database: Database,
      input: InputOf<Given>,
      context: Pick<AdminContext, 'progress' | 'settings'>,
    ) => Promise<Report>;
  },
): AdminCommand => ({
  ...definition,
  run: (context, input: InputOf<Given>) => definition.look(context.database, input, context),
});

/** The effect of a changing command. */
interface Effect {
  readonly subject: { readonly kind: string; readonly id: number };
  /** For the audit log and `--json`; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  /** One sentence for the operator. */
  readonly text: string;
  /** Output that is shown once and not stored, such as a new key. */
  readonly secretOutput?: Readonly<Record<string, unknown>>;
  /** A hint for the operator after a successful change. */
  readonly warning?: string;
  /** The commands that come next by what they are for, complete but for words in capitals. */
  readonly next?: Readonly<Record<string, string>>;
}

/** The reason why nothing changed. */
interface Unchanged {
  readonly unchanged: string;
}

export type Change = Effect | Unchanged;

/** Writes the effects of a command to the audit log, one entry per subject. */
export const recordChanges = (
  transaction: DatabaseTransaction,
  actor: string,
  action: string,
  changes: readonly Pick<Effect, 'subject' | 'details'>[],
): Promise<void> =>
  addAuditEntries(
    transaction,
    changes.map(({ subject, details }) => ({
      actor,
      action,
      subjectKind: subject.kind,
      subjectId: subject.id,
      details,
    })),
  );

/**
 * A command that changes something, in one transaction with its audit entry, so that no change
 * lacks one.
 */
export const changeCommand = <Given extends Fields>(
  definition: Definition<Given> & {
    /** How the audit log names it, as it names the same change at /portal and /support. */
    readonly action: string;
    readonly change: (
      transaction: DatabaseTransaction,
      input: InputOf<Given>,
      context: AdminContext,
    ) => Promise<Change>;
  },
): AdminCommand => ({
  ...definition,
  run(context, input: InputOf<Given>) {
    const actor = context.actor();
    return context.database.transaction().execute(async (transaction) => {
      const change = await definition.change(transaction, input, context);
      return recordAndReport(transaction, actor, definition.action, change);
    });
  },
});

/** What long commands need beyond the dependencies of all commands. */
export interface LongContext extends AdminContext {
  /**
   * Called before each piece of work, outside of its transaction: the connection is the only one. The first call
   * writes that the work has begun.
   */
  readonly begin: () => Promise<void>;
}

/**
 * A command that changes much, in short transactions while requests go on. It may be interrupted and
 * run again, which may then find nothing to do. So an audit entry precedes the work, and one with the
 * result follows it. A run without work has none.
 */
export const longCommand = <Given extends Fields>(
  definition: Definition<Given> & {
    readonly action: string;
    readonly subject: (input: InputOf<Given>) => Effect['subject'];
    readonly change: (
      input: InputOf<Given>,
      context: LongContext,
    ) => Promise<Omit<Effect, 'subject'> | Unchanged>;
  },
): AdminCommand => ({
  ...definition,
  async run(context, input: InputOf<Given>) {
    const { action } = definition;
    const actor = context.actor();
    const subject = definition.subject(input);
    const inTransaction = <Result>(write: (transaction: DatabaseTransaction) => Promise<Result>) =>
      context.database.transaction().execute(write);
    let begun: Promise<void> | undefined;
    const begin = () => {
      begun ??= inTransaction((transaction) =>
        recordChanges(transaction, actor, action, [{ subject, details: { begun: true } }]),
      );
      return begun;
    };
    const change = await definition.change(input, { ...context, begin });
    return inTransaction((transaction) =>
      recordAndReport(transaction, actor, action, { subject, ...change }),
    );
  },
});

async function recordAndReport(
  transaction: DatabaseTransaction,
  actor: string,
  action: string,
  change: Change,
): Promise<Report> {
  if ('unchanged' in change)
    return { text: change.unchanged, json: { changed: false, message: change.unchanged } };
  const { subject, details, text, secretOutput, warning, next } = change;
  await recordChanges(transaction, actor, action, [change]);
  return {
    json: {
      changed: true,
      ...subject,
      ...details,
      ...secretOutput,
      ...(warning !== undefined && { warning }),
    },
    text: [
      text,
      ...(warning === undefined ? [] : [`Warning: ${warning}`]),
      ...(next === undefined ? [] : [`\nNext:${nextSteps(next)}`]),
    ].join('\n'),
  };
}

const nextSteps = (next: Readonly<Record<string, string>>): string =>
  Object.entries(next)
    .map(([purpose, words]) => `\n  ${purpose}:\n    ${PROGRAM} ${words}`)
    .join('');

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
    'Name yourself. People of companies and of the service act at /portal and /support, and not here.',
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
