import { CommanderError } from 'commander';
import pg from 'pg';
import { ConfigError } from '../config/config.ts';
import { SealedSecretError } from '../crypto/secret-box.ts';
import { isDatabaseUnavailable } from '../db/connection.ts';
import { ArchiveFileError } from '../db/ledger/archive-files.ts';
import { ArchivedError } from '../db/ledger/read-archives.ts';
import { AdminError } from './fields.ts';

/** Errors of PostgreSQL that an operator can fix, with their remedies. */
const databaseProblems: Readonly<Record<string, string>> = {
  '25006':
    'DATABASE_URL leads to a standby, or to a database that is read-only: give the address of a primary that takes writes.',
  '28P01': 'The database refused the user or password: check DATABASE_URL.',
  '3D000': 'There is no such database: check DATABASE_URL.',
  '42501':
    'The user of DATABASE_URL lacks the rights of this command: use a login of the role for operators.',
  '42P01': 'The tables of the database are not up to date: run src/migrate.ts or "npm start".',
  '42703': 'The tables of the database are not up to date: run src/migrate.ts or "npm start".',
};

/** One line for the operator; only an internal error includes its stack. */
export function describeProblem(error: unknown): string {
  if (error instanceof AdminError) return error.message;
  if (error instanceof ConfigError) return inOneLine(error.message);
  if (error instanceof CommanderError) return describeUsage(error.message);
  if (error instanceof ArchivedError || error instanceof ArchiveFileError)
    return `${error.message}.`;
  if (error instanceof SealedSecretError)
    return `${error.message} Set DATA_KEYS to the value of the API process.`;
  const known = error instanceof pg.DatabaseError && databaseProblems[error.code ?? ''];
  if (known) return known;
  // It answered: a limit of time, a lock, or no more connections.
  if (error instanceof pg.DatabaseError && isDatabaseUnavailable(error))
    return `The database did not do this (${messageOf(error)}): try again.`;
  if (isDatabaseUnavailable(error))
    return `The database cannot be reached (${messageOf(error)}): is the service running?`;
  if (error instanceof Error && 'code' in error && error.code === 'EACCES')
    return `${messageOf(error)}: run this as the user who runs "npm start", or set DATABASE_URL.`;
  // Of a folder such as ARCHIVE_FOLDER: it is full, read-only or gone.
  if (error instanceof Error && 'syscall' in error) return `${messageOf(error)}.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** commander begins with "error:" and puts "(Did you mean …?)" on a second line. */
function describeUsage(message: string): string {
  const sentence = inOneLine(message.replace(/^error: /, '')).replace(/\.$/, '');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. Add --help to see how.`;
}

const inOneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');

/** A connection attempt to several addresses fails without a message of its own. */
const messageOf = (error: unknown): string =>
  error instanceof Error
    ? inOneLine(error.message || String('code' in error ? error.code : error.name))
    : String(error);
