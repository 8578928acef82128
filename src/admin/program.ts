import { Command, Option } from 'commander';
import { AdminError } from './admin-error.ts';
import type { AdminCommand } from './command.ts';
import { type Fields, type InputOf, kebab, type Parser, text } from './fields.ts';

/** The options of every command. */
export interface GlobalOptions {
  readonly json: boolean;
  readonly actor: string | undefined;
}

/** The parts of the command line program. */
export interface ProgramParts {
  readonly commands: readonly AdminCommand[];
  /** The help of verbs that several commands share. */
  readonly verbs: Readonly<Record<string, string>>;
  /** Output of help; `isError` where an incomplete command shows it. */
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
  readonly run: (
    command: AdminCommand,
    input: InputOf<Fields>,
    options: GlobalOptions,
  ) => Promise<void>;
}

const NAME = 'npm run admin --';

/** Builds the command line: verbs, nouns below them, and help. */
export function createProgram(parts: ProgramParts): Command {
  const { writeOut, writeErr } = parts;
  const program = new Command(NAME)
    .usage('<command> [options]')
    .description('The operator’s commands. Add --help to any of them.')
    .option('--json', 'print one JSON document instead of text')
    .option(
      '--actor <name>',
      'the actor in the audit log; your user name by default, required for root',
    )
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    // One place prints errors, in one line.
    .configureOutput({ writeOut, writeErr, outputError: () => undefined })
    .exitOverride()
    .addHelpText('after', ROOT_EXAMPLES);
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
      .description(parts.verbs[verb] ?? '');
    groups.set(verb, added);
    return added;
  }
}

const ROOT_EXAMPLES = `
Examples:
  ${NAME} list partners
  ${NAME} deposit --partner 1 --wallet gift --amount 50000 --reference CBE-2026-0042
  ${NAME} statement --partner 1 --wallet gift
  ${NAME} create merchant --help

The database is that of DATABASE_URL, or of a running "npm start".
For scripts: npm run --silent admin -- list partners --json`;

function addCommand(
  parent: Command,
  word: string,
  command: AdminCommand,
  parts: ProgramParts,
): void {
  const added = parent.command(word).description(command.summary);
  const fields = Object.entries(command.fields);
  for (const [name, field] of fields) {
    if (field.isArgument) added.argument(`<${kebab(name)}>`, field.description);
    else {
      const flags = `--${kebab(name)} ${field.placeholder}`.trim();
      const description = field.isRequired ? `${field.description} (required)` : field.description;
      added.addOption(new Option(flags, description));
    }
  }
  const examples = command.examples.map((example) => `  ${NAME} ${example}`).join('\n');
  const details = command.details === undefined ? '' : `\n${wrapped(command.details)}\n`;
  const lines = command.detailLines?.map((line) => `${line}\n`).join('') ?? '';
  added.addHelpText('after', `${details}${lines && `\n${lines}`}\nExamples:\n${examples}`);
  added.action(async () => {
    const texts = textsOf(added, command.fields);
    const input = await readInput(command.fields, texts);
    const { json = false, actor } = added.optsWithGlobals<{ json?: boolean; actor?: string }>();
    await parts.run(command, input, {
      json,
      actor: actor === undefined ? undefined : await readValue('--actor', text, actor),
    });
  });
}

/** The texts of the fields; true for a flag. */
type Texts = Readonly<Record<string, string | true | undefined>>;

function textsOf(added: Command, fields: Fields): Texts {
  const argumentNames = Object.keys(fields).filter((name) => fields[name]?.isArgument);
  const fromArguments = argumentNames.map((name, index) => [name, added.processedArgs[index]]);
  return { ...added.opts(), ...Object.fromEntries(fromArguments) };
}

/** @throws {AdminError} that names the field, or all missing fields */
async function readInput(fields: Fields, texts: Texts): Promise<InputOf<Fields>> {
  const missing = Object.keys(fields).filter(
    (name) => fields[name]?.isRequired && texts[name] === undefined,
  );
  if (missing.length > 0) {
    const options = missing.map((name) => `--${kebab(name)}`).join(', ');
    throw new AdminError(`Missing: ${options}. Add --help to see how.`);
  }
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = texts[name];
    const label = field.isArgument ? `<${kebab(name)}>` : `--${kebab(name)}`;
    if (field.isFlag) input[name] = given !== undefined;
    else input[name] = typeof given === 'string' ? await readValue(label, field, given) : undefined;
  }
  return input;
}

/** @throws {AdminError} that begins with the label */
async function readValue<Value>(
  label: string,
  parser: Parser<Value>,
  given: string,
): Promise<Value> {
  try {
    return await parser.parse(given);
  } catch (error) {
    if (error instanceof AdminError) throw new AdminError(`${label} ${error.message}.`);
    throw error;
  }
}

const LINE_WIDTH = 80;

/** Wraps a text for a narrow terminal. */
const wrapped = (details: string): string =>
  details.replaceAll(new RegExp(`(.{1,${LINE_WIDTH}})(?: +|$)`, 'g'), '$1\n').trimEnd();
