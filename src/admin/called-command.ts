import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { metaOf } from '../repairs/repair-kind.ts';
import type { ListedCommand } from './all-commands.ts';
import type { AdminCommand, CommandRunner } from './command.ts';
import { AdminError, type Fields, type InputOf, kebab, text } from './fields.ts';
import { PROGRAM } from './groups.ts';

/** Gives a command that was called its options, its help and its action. */
export async function complete(
  added: Command,
  { name: commandName, load }: ListedCommand,
  { prepare, run }: CommandRunner,
): Promise<void> {
  const command = await load();
  for (const [name, field] of Object.entries(command.fields)) {
    const { description, placeholder, isArgument, isOptional } = metaOf(field);
    if (isArgument) added.argument(`<${kebab(name)}>`, description);
    else {
      const flags = `--${kebab(name)}${placeholder && ` <${placeholder}>`}`;
      added.addOption(new Option(flags, isOptional ? description : `${description} (required)`));
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
      .filter(([, field]) => !field.isOptional())
      .map(([name, field]) => (metaOf(field).isArgument ? '3' : `--${kebab(name)} 3`))
      .join(' '),
  ];

/** The texts of the fields; true for a flag. */
type Texts = Readonly<Record<string, string | true | undefined>>;

function textsOf(added: Command, fields: Fields): Texts {
  const names = Object.entries(fields).flatMap(([name, field]) =>
    metaOf(field).isArgument ? [name] : [],
  );
  const fromArguments = names.map((name, index) => [name, added.processedArgs[index]]);
  return { ...added.opts(), ...Object.fromEntries(fromArguments) };
}

/** @throws {AdminError} that names the field, or all missing fields */
async function readInput(fields: Fields, texts: Texts): Promise<InputOf<Fields>> {
  const missing = Object.entries(fields).flatMap(([name, field]) =>
    texts[name] === undefined && !field.isOptional() ? [`--${kebab(name)}`] : [],
  );
  if (missing.length > 0)
    throw new AdminError(`Missing: ${missing.join(', ')}. Add --help to see how.`);
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const label = metaOf(field).isArgument ? `<${kebab(name)}>` : `--${kebab(name)}`;
    input[name] = await readValue(label, field, texts[name]);
  }
  return input;
}

/** @throws {AdminError} that begins with the label */
async function readValue<Value>(
  label: string,
  field: z.ZodType<Value>,
  given: Texts[string],
): Promise<Value> {
  try {
    // A file is read on the way.
    const { success, data, error } = await field.safeParseAsync(given);
    if (success) return data;
    throw new AdminError(error.issues[0]?.message ?? 'is not valid');
  } catch (error) {
    if (error instanceof AdminError) throw new AdminError(`${label} ${error.message}.`);
    throw error;
  }
}

const LINE_WIDTH = 80;

/** Wraps a text for a narrow terminal. */
const wrapped = (details: string): string =>
  details.replaceAll(new RegExp(`(.{1,${LINE_WIDTH}})(?: +|$)`, 'g'), '$1\n').trimEnd();
