import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { isSecret } from './setting-kinds.ts';

type Given = Readonly<Record<string, string | undefined>>;

interface ResolvedSettings {
  readonly given: Given;
  /** A line for each file that is no value; the value is missing from what is given then. */
  readonly problems: readonly string[];
  /** Settings whose problem is told already. */
  readonly told: ReadonlySet<string>;
}

const TRAILING_NEWLINE = /\r?\n$/;

/** The setting that names the file of a secret. */
export const fileSettingOf = (name: string): string => `${name}_FILE`;

/**
 * Reads the secrets among settings that are given as `NAME_FILE=/path`, in place of `NAME`. One
 * newline at the end of a file is not part of its secret. The problems name settings only: a
 * mistaken person may have written the secret itself where the path belongs.
 */
export function withSecretFiles(
  settings: Readonly<Record<string, z.ZodType>>,
  given: Given,
): ResolvedSettings {
  const secrets = Object.entries(settings).filter(([, kind]) => isSecret(kind));
  const values: Record<string, string | undefined> = { ...given };
  const problems: string[] = [];
  const told = new Set<string>();
  for (const [name] of secrets) {
    const fileSetting = fileSettingOf(name);
    const path = given[fileSetting];
    if (path === undefined) continue;
    const problem =
      given[name] === undefined
        ? readInto(values, name, path)
        : `${name} and ${fileSetting}: are both set; set one of them`;
    if (problem === undefined) continue;
    problems.push(problem);
    told.add(name);
  }
  return { given: values, problems, told };
}

function readInto(values: Record<string, string | undefined>, name: string, path: string) {
  try {
    const text = readFileSync(path, 'utf8').replace(TRAILING_NEWLINE, '');
    if (text === '') return `${fileSettingOf(name)}: names an empty file`;
    values[name] = text;
    return undefined;
  } catch (error) {
    // The message of the error would repeat the path.
    const { code = 'error' } = error as NodeJS.ErrnoException;
    return `${fileSettingOf(name)}: names a file that cannot be read (${code})`;
  }
}
