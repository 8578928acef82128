import type { DemoFile } from './demo-data.ts';

const DEFAULT_DATA_DIRECTORY = '.data';

/** A path quoted as one word of a shell. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** What stands before a command so that it uses a data folder: nothing for the usual one. */
export const folderWords = (dataDirectory: string): readonly string[] =>
  dataDirectory === DEFAULT_DATA_DIRECTORY ? [] : [`DATA_DIR=${quoted(dataDirectory)}`];

/**
 * The message of a started stack: its addresses, a call to paste into a shell in this folder, and
 * next steps.
 */
export function welcome(demo: DemoFile, dataDirectory: string): string {
  const demoFile = `${dataDirectory}/demo.json`;
  // With real providers the sandbox has no address.
  const sandbox = demo.sandboxUrl
    ? [
        ['Sandbox', `${demo.sandboxUrl} (what phone numbers make the providers do)`],
        ['Sandbox phone', `${demo.sandboxUrl}/phone`],
        ['Sandbox mail', `${demo.sandboxUrl}/mailbox`],
        ['Sandbox books', `${demo.sandboxUrl}/books`],
      ]
    : [];
  const rows = [
    ['Partner API', demo.partner.baseUrl],
    ['Merchant API', demo.merchant.baseUrl],
    ['Portal', `${demo.partner.portalUrl} (sign in as ${demo.partner.portalEmail})`],
    ['Support', `${demo.staff.portalUrl} (sign in as ${demo.staff.portalEmail})`],
    ...sandbox,
    ...(demo.temporalUiUrl ? [['Temporal UI', demo.temporalUiUrl]] : []),
    ['Demo keys', `${demoFile} (with the passwords of the portal and of support)`],
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`);
  const command = (words: string) => [...folderWords(dataDirectory), words].join(' ');
  return `
${table.join('\n')}

Log in as the demo partner:

  curl -s ${demo.partner.baseUrl}/auth/login -H 'Content-Type: application/json' \\
    -d "{\\"key\\": \\"$(grep -m 1 -o 'gvs_[A-Za-z0-9_]*' ${quoted(demoFile)})\\"}"

See vouchers and top-ups from beginning to end, in another terminal:

  ${command('npm run demo')}

Operate it, for example see its partners and their balances:

  ${command('npm run admin -- partner list')}

Stop everything with Ctrl-C.
`;
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

/** A line of the log for people: time, level, message and details; below it the stacks of its errors. */
export function logLine(json: string): string {
  const { level, time, msg, process: _process, ...details } = JSON.parse(json);
  const stacks: string[] = [];
  const shown = Object.entries(withoutStacks(details, stacks)).map(
    ([name, value]) =>
      `${name}=${typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const clock = new Date(time).toTimeString().slice(0, 8);
  const first = [clock, LEVELS[level] ?? level, msg, ...shown].filter(Boolean).join(' ');
  return [first, ...stacks.map((stack) => stack.replace(/^/gm, '    '))].join('\n');
}

/** An error's stack is many lines: it stands below, and so do those of its causes. */
function withoutStacks(
  details: Record<string, unknown>,
  stacks: string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) => {
      if (name === 'stack') {
        stacks.push(String(value));
        return [];
      }
      const isCause = name === 'cause' && typeof value === 'object' && value !== null;
      return [[name, isCause ? withoutStacks(value as Record<string, unknown>, stacks) : value]];
    }),
  );
}
