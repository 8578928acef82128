import { Command } from 'commander';
import type { ListedCommand } from './all-commands.ts';
import type { CommandRunner } from './command.ts';
import { PROGRAM } from './verbs.ts';

/** The parts of the command line program. */
export interface ProgramParts extends CommandRunner {
  readonly commands: readonly ListedCommand[];
  /** The help of verbs that several commands share. */
  readonly verbs: Readonly<Record<string, string>>;
  /** Output of help; `isError` where an incomplete command shows it. */
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/**
 * Builds the command line: verbs, nouns below them, and help. It loads the code of a command only to run
 * that command or to show its own help.
 */
export function createProgram(parts: ProgramParts): Command {
  const { writeOut, writeErr } = parts;
  const program = new Command(PROGRAM)
    .usage('<command> [options]')
    .description('The operator’s commands. Add --help to any of them.')
    .option('--json', 'print one JSON document instead of text')
    .option(
      '--actor <name>',
      'the actor in the audit log; your user name by default, required for root',
    )
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: true,
      subcommandTerm: (command) => command.name(),
    })
    // One place prints errors, in one line.
    .configureOutput({ writeOut, writeErr, outputError: () => undefined })
    .exitOverride()
    .addHelpText('after', ROOT_EXAMPLES);
  program
    .command('help [command...]')
    .description('display help for command')
    .action(async (words: string[]) => {
      await program.parseAsync([...words, '--help'], { from: 'user' });
    });
  const groups = new Map<string, Command>();
  for (const command of parts.commands) {
    const [verb = '', noun] = command.name.split(' ');
    if (noun === undefined) addCommand(program, verb, command, parts);
    else addCommand(group(verb), noun, command, parts);
  }
  return program;

  function group(verb: string): Command {
    const existing = groups.get(verb);
    if (existing) return existing;
    const added = program
      .command(verb)
      .usage('<what> [options]')
      .helpCommand(false)
      .description(parts.verbs[verb] ?? '');
    groups.set(verb, added);
    return added;
  }
}

const ROOT_EXAMPLES = `
Examples:
  ${PROGRAM} list partners
  ${PROGRAM} deposit --partner 1 --wallet gift --amount 50000 --reference CBE-2026-0042
  ${PROGRAM} statement --partner 1 --wallet gift
  ${PROGRAM} create merchant --help

The database is that of DATABASE_URL, or of a running "npm start".
For scripts: npm run --silent admin -- list partners --json`;

function addCommand(
  parent: Command,
  word: string,
  listed: ListedCommand,
  parts: ProgramParts,
): void {
  const added = parent.command(word).description(listed.summary);
  // commander calls it between finding a command and reading its words.
  parent.hook('preSubcommand', async (_parent, called) => {
    if (called !== added) return;
    const { complete } = await import('./called-command.ts');
    complete(added, await listed.load(), parts);
  });
}
