import { type Command, Option } from 'commander';
import type { ListedCommand } from './all-commands.ts';
import type { AdminCommand, CommandRunner } from './command.ts';
import { AdminError, type Fields, type InputOf, kebab, type Parser, text } from './fields.ts';
import { PROGRAM } from './groups.ts';

/** Gives a command that was called its options, its help and its action. */
export async function complete(
  added: Command,
  { name: commandName, load }: ListedCommand,
  { prepare, run }: CommandRunner,
): Promise<void> {
  const command = await load();
  for (const [name, field] of Object.entries(command.fields)) {
    if (field.isArgument) added.argument(`<${kebab(name)}>`, field.description);
    else {
      const flags = `--${kebab(name)} ${field.placeholder}`.trim();
      const description = field.isRequired ? `${field.description} (required)` : field.description;
      added.addOption(new Option(flags, description));
    }
  }
  const examples = commandExamples(command)
    .map((tail) => `  ${PROGRAM} ${commandName} ${tail}`.trimEnd())
    .join('\n');
  const details = command.details === undefined ? '' : `\n${wrapped(command.details)}\n`;
  const lines = command.detailLines?.map((line) => `${line}\n`).join('') ?? '';
  added.addHelpText('after', `${details}${lines && `\n${lines}`}\nExamples:\n${examples}`);
  added.action(async () => {
    await prepare();
    const input = await readInput(command.fields, textsOf(added, command.fields));
    const { json = false, actor } = added.optsWithGlobals<{ json?: boolean; actor?: string }>();
    await run(command, input, {
      json,
      actor: actor === undefined ? undefined : await readValue('--actor', text, actor),
    });
  });
}

/** The examples of a command; one of an id for each field that it needs by default. */
export const commandExamples = ({ examples, fields }: AdminCommand): readonly string[] =>
  examples ?? [
    Object.entries(fields)
      .filter(([, { isRequired }]) => isRequired)
      .map(([name, { isArgument }]) => (isArgument ? '3' : `--${kebab(name)} 3`))
      .join(' '),
  ];

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
    input[name] =
      typeof given === 'string'
        ? await readValue(label, field, given)
        : (given ?? field.whenLeftOut);
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
