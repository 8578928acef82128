import type { Digests } from '../crypto/digests.js';
import type { KeyEnvironment } from '../crypto/random.js';
import { addAuditEntries } from '../db/access/audit.js';
import type { Database, DatabaseTransaction } from '../db/connection.js';
import type { Progress } from '../process/progress.js';
import type { Fields, InputOf } from './fields.js';

/** What commands work with. */
export interface AdminContext {
  readonly database: Database;
  /**
   * Who is recorded in the audit log; asked before anything is changed.
   *
   * @throws {AdminError} where the user of the system can be anybody
   */
  readonly actor: () => string;
  /** What API keys are made with. @throws {AdminError} where no key of digests is set */
  readonly keySettings: () => {
    readonly digests: Digests;
    readonly environment: KeyEnvironment;
    /** How long a rotated key still works where nothing else is asked for. */
    readonly overlapHours: number;
  };
  /** Of passwords that operators make: how long one lets somebody in, and what hashing it costs. */
  readonly oneTimePasswords: { readonly lifetimeSeconds: number; readonly cost: number };
  /** Shows how far a long command is; nothing where nobody watches. */
  readonly progress: Progress;
}

/** What a command answers. */
export interface Report {
  /** The document that `--json` prints. */
  readonly json: unknown;
  /** The same for people; lines without a line break at the end. */
  readonly text: string;
  /** 2 where something was found to be wrong with the books; 0 where it is left out. */
  readonly exitCode?: number;
}

/** A command as help shows it and as it is run. */
export interface AdminCommand {
  /** A verb and a noun, such as "create partner", or one word. */
  readonly name: string;
  readonly summary: string;
  /** What else help says. */
  readonly details?: string;
  /** The same, in lines of their own. */
  readonly detailLines?: readonly string[];
  readonly fields: Fields;
  /** What follows the program's name. */
  readonly examples: readonly string[];
  run(context: AdminContext, input: InputOf<Fields>): Promise<Report>;
}

type Definition<Given extends Fields> = Omit<AdminCommand, 'fields' | 'run'> & {
  readonly fields: Given;
};

/** A command that only looks. */
export const lookCommand = <Given extends Fields>(
  definition: Definition<Given> & {
    readonly look: (database: Database, input: InputOf<Given>) => Promise<Report>;
  },
): AdminCommand => ({
  ...definition,
  run: ({ database }, input) => definition.look(database, input as InputOf<Given>),
});

/** What a command changed, or that there was nothing to change. */
export type Change =
  | {
      readonly subject: { readonly kind: string; readonly id: number };
      /** For the audit log and `--json`; never a secret. */
      readonly details: Readonly<Record<string, unknown>>;
      /** One sentence for the operator. */
      readonly text: string;
      /** Shown to the operator now and kept nowhere, such as a new key. */
      readonly secretOutput?: Readonly<Record<string, unknown>>;
      /** What the operator should look at, though it was done. */
      readonly warning?: string;
    }
  | { readonly unchanged: string };

/** Writes into the audit log what a command did to each of its subjects. */
export const recordChanges = (
  transaction: DatabaseTransaction,
  actor: string,
  action: string,
  changes: readonly Pick<Extract<Change, { subject: unknown }>, 'subject' | 'details'>[],
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
 * A command that changes something, in one transaction with its row in the audit log: none can be
 * written that leaves no trace.
 */
export const changeCommand = <Given extends Fields>(
  definition: Definition<Given> & {
    readonly change: (
      transaction: DatabaseTransaction,
      input: InputOf<Given>,
      context: AdminContext,
    ) => Promise<Change>;
  },
): AdminCommand => ({
  ...definition,
  async run(context, input) {
    const actor = context.actor();
    return context.database.transaction().execute(async (transaction) => {
      const change = await definition.change(transaction, input as InputOf<Given>, context);
      if ('unchanged' in change)
        return { text: change.unchanged, json: { changed: false, message: change.unchanged } };
      const { subject, details, secretOutput, warning } = change;
      await recordChanges(transaction, actor, definition.name, [{ subject, details }]);
      const json = { changed: true, ...subject, ...details, ...secretOutput };
      return warning === undefined
        ? { text: change.text, json }
        : { text: `${change.text}\nWarning: ${warning}`, json: { ...json, warning } };
    });
  },
});
