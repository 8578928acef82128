import { Command, Option } from 'commander';
import type { ListedCommand } from './all-commands.ts';
import type { CommandRunner } from './command.ts';
import { commandGroups, PROGRAM } from './groups.ts';

/** The parts of the command line program. */
interface ProgramParts extends CommandRunner {
  readonly commands: readonly ListedCommand[];
  /** Output of help that is asked for; an incomplete command shows it as an error. */
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/**
 * Builds the command line: groups, their parts, their commands, and help. It loads the code of a
 * command only to run that command or to show its own help.
 */
export function createProgram(parts: ProgramParts): Command {
  const { writeOut, writeErr } = parts;
  const program: Command = new Command(PROGRAM)
    .usage('<group> <command> [options]')
    .description('The operator’s commands. Add --help to a group or a command.')
    .option('--json', 'Print one JSON document instead of text')
    .option('--actor <name>', 'Who acts, for the audit log; your user name by default')
    .addHelpOption(new Option('-h, --help').hideHelp())
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) =>
        command.commands.length > 0 && command.parent !== program
          ? `${command.name()} …`
          : command.name(),
    })
    // One place prints errors, in one line.
    .configureOutput({ writeOut, writeErr, outputError: () => undefined })
    .exitOverride()
    .helpCommand(false)
    .addHelpText('after', ROOT_NOTES);
  program.command('help [command...]', { hidden: true }).action(async (words: string[]) => {
    await program.parseAsync([...words, '--help'], { from: 'user' });
  });
  const groups = new Map<string, Command>();
  for (const [path, summary] of Object.entries(commandGroups)) {
    const [parent, name] = lastOf(path);
    const group = (groups.get(parent) ?? program)
      .command(name)
      .usage('<command> [options]')
      .helpCommand(false)
      .description(summary);
    groups.set(path, group);
    for (const command of parts.commands)
      if (lastOf(command.name)[0] === path) addCommand(group, command, parts);
  }
  return program;
}

/** The words before the last one, and the last. */
function lastOf(path: string): [string, string] {
  const end = path.lastIndexOf(' ');
  return [path.slice(0, Math.max(end, 0)), path.slice(end + 1)];
}

const ROOT_NOTES = `
Example: ${PROGRAM} partner create --help
The database is that of DATABASE_URL, or of a running "npm start".`;

function addCommand(parent: Command, listed: ListedCommand, parts: ProgramParts): void {
  const added = parent.command(lastOf(listed.name)[1]).description(listed.summary);
  // commander calls it between finding a command and reading its words.
  parent.hook('preSubcommand', async (_parent, called) => {
    if (called !== added) return;
    const { complete } = await import('./called-command.ts');
    await complete(added, listed, parts);
  });
}
