import { type ParseArgsConfig, parseArgs } from 'node:util';

type OptionsConfig = NonNullable<ParseArgsConfig['options']>;

/** Thrown for a command line that cannot be understood; the message is for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Reads the options of a command line, which takes no other words.
 *
 * @throws {UsageError}
 */
export function readCommandLine<Options extends OptionsConfig>(
  commandArguments: readonly string[],
  { usage, options }: { readonly usage: string; readonly options: Options },
) {
  const refuse = (problem: string): never => {
    throw new UsageError(`${problem}\n\n${usage}`);
  };
  return {
    values: parse(commandArguments, options, refuse),
    refuse,
    number(name: keyof Options & string, text: string, isAllowed: (value: number) => boolean) {
      const value = Number(text);
      return value > 0 && isAllowed(value) ? value : refuse(`--${name} cannot be "${text}"`);
    },
  };
}

function parse<Options extends OptionsConfig>(
  commandArguments: readonly string[],
  options: Options,
  refuse: (problem: string) => never,
) {
  try {
    return parseArgs({ args: [...commandArguments], options }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}
