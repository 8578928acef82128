import { isConstant } from './setting-kinds.ts';
import { serviceSettings } from './settings/service-settings.ts';
import { startSettings } from './settings/start-settings.ts';

type Given = Readonly<Record<string, string | undefined>>;

/** The names of all constants of `src/config`. */
export const constantNames: ReadonlySet<string> = new Set(
  Object.entries({ ...serviceSettings, ...startSettings })
    .filter(([, schema]) => isConstant(schema))
    .map(([name]) => name),
);

/** The constants that a test changes for a process which it starts. */
export function readTestConstants({ TEST_CONSTANTS: text }: Given): Given {
  return text === undefined || testConstantsProblem(text) !== undefined ? {} : JSON.parse(text);
}

/** Why the text changes no constants: a name that is none would change nothing. */
function testConstantsProblem(text: string): string | undefined {
  try {
    const unknown = Object.keys(JSON.parse(text)).find((name) => !constantNames.has(name));
    return unknown === undefined ? undefined : `names ${unknown}, which is no constant`;
  } catch {
    return 'must be JSON';
  }
}

/** The problems of a process that a test has started. */
export const testConstantsProblems = ({ ENVIRONMENT, TEST_CONSTANTS: text }: Given): string[] => {
  if (text === undefined) return [];
  const problem =
    ENVIRONMENT === 'production' ? 'is for the test environment only' : testConstantsProblem(text);
  return problem === undefined ? [] : [`TEST_CONSTANTS: ${problem}`];
};
