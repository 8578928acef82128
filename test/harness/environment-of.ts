import { constantNames, type Environment } from '../../src/config/config.ts';

/** The environment of a process: the settings, and by the door for tests the constants among them. */
export function environmentOf(given: Environment): Environment {
  const entries = Object.entries(given);
  const constants = entries.filter(([name]) => constantNames.has(name));
  const settings = Object.fromEntries(entries.filter(([name]) => !constantNames.has(name)));
  return constants.length === 0
    ? settings
    : { ...settings, TEST_CONSTANTS: JSON.stringify(Object.fromEntries(constants)) };
}
