import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { allCommands } from '../../src/admin/all-commands.ts';
import { commandExamples } from '../../src/admin/called-command.ts';
import { kebab } from '../../src/admin/fields.ts';
import { commandGroups } from '../../src/admin/groups.ts';
import { describeProblem } from '../../src/admin/problems.ts';
import { createProgram } from '../../src/admin/program.ts';
import { runAdmin } from '../../src/admin/run-admin.ts';
import { readAdminConfig } from '../../src/config/config.ts';
import { metaOf } from '../../src/repairs/repair-kind.ts';
import { repairKinds } from '../../src/repairs/repair-kinds.ts';
import { repairTitles } from '../../src/repairs/repair-titles.ts';
import { extendVoucherRepair } from '../../src/repairs/voucher-repairs.ts';
import { documentNames } from './documents.ts';

/** Every command of the operators that a document shows must be one that the command line accepts. */

interface ShownCommand {
  readonly words: readonly string[];
  /** Prose may name a command without its options. */
  readonly isProse: boolean;
}

const PREFIX = /(?:npm run (?:--silent )?admin --|docker compose run --rm admin)\s+(.*)/;
/** As on the machines of the guide to deployment. */
const INSTALLED = /^admin (.*)/;

/** What a reader puts in the place of a word. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  NAME: 'hanna',
  ID: '17',
  REFERENCE: 'MM4711',
  $PROVIDER: 'gsma',
  $DAY: '2026-11-22',
};

/** The words of a shell's line, up to a comment, a pipe or a redirection. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word, quoted] of line.matchAll(/"([^"]*)"|[^\s"]+/g)) {
    if (/^[#|<>;&]/.test(word)) break;
    words.push(PLACEHOLDERS[word] ?? quoted ?? word);
  }
  return words;
}

function commandsOf(text: string): ShownCommand[] {
  const shown: ShownCommand[] = [];
  const note = (line: string, isProse: boolean, ...forms: readonly RegExp[]) => {
    const found = forms.map((form) => form.exec(line.trim())?.[1]).find(Boolean);
    if (found !== undefined) shown.push({ words: wordsOf(found), isProse });
  };
  const prose = text.replace(/^( *)```[\s\S]*?^\1```/gm, (block) => {
    const lines = block.replaceAll(/\\\n/g, ' ').split('\n');
    for (const line of lines) note(line, false, PREFIX, INSTALLED);
    return '';
  });
  for (const [, quoted = ''] of prose.matchAll(/`([^`]+)`/g)) {
    const line = quoted.replaceAll(/\s+/g, ' ');
    note(line, true, PREFIX, INSTALLED);
    // Prose also names a command by itself.
    if (nameOf(wordsOf(line)) !== undefined) shown.push({ words: wordsOf(line), isProse: true });
  }
  return shown;
}

/** The command that words begin with: a group, perhaps a part of it, and a verb. */
const nameOf = (words: readonly string[]): string | undefined =>
  [3, 2]
    .map((count) => words.slice(0, count).join(' '))
    .find((one) => allCommands.some(({ name }) => name === one));

/** Whether words before "…" or "--help" name a group or a part of it. */
const isGroup = (words: readonly string[]): boolean => words.join(' ') in commandGroups;

const anyPath = z.string().meta({ placeholder: 'file' });

/** The real commands; files need not be there. */
const commands = await Promise.all(
  allCommands.map(async ({ load, ...listed }) => {
    const command = await load();
    const fields = Object.fromEntries(
      Object.entries(command.fields).map(([name, field]) => [
        name,
        name === 'file' ? (field.isOptional() ? anyPath.optional() : anyPath) : field,
      ]),
    );
    return { ...listed, fields, load: async () => ({ ...command, fields }) };
  }),
);

/** Of every command. */
const GLOBAL = ['--json', '--actor', '--help'];

const optionsOf = (name: string): string[] =>
  Object.entries(commands.find((command) => command.name === name)?.fields ?? {}).flatMap(
    ([option, field]) => (metaOf(field).isArgument ? [] : [`--${kebab(option)}`]),
  );

/** Why the command line refuses a command; undefined where it accepts it. */
async function refusalOf({ words, isProse }: ShownCommand): Promise<string | undefined> {
  const [first = '', ...others] = words.filter(
    (word, place) => word !== '--actor' && words[place - 1] !== '--actor' && word !== '--json',
  );
  if (['COMMAND', '…', '--help'].includes(first)) return undefined;
  const ofGroup = [first, ...others].slice(0, -1);
  if (['…', '--help'].includes(others.at(-1) ?? '') && isGroup(ofGroup)) return undefined;
  const name = nameOf([first, ...others]);
  if (name === undefined) return `There is no command ${[first, ...others].join(' ')}`;
  const after = words.slice(name.split(' ').length);
  if (isProse && after.length === 0) return undefined;
  // Words that are left out, or an option that is only named: what is there has to exist.
  if (isProse && (words.includes('…') || /^--[a-z-]+$/.test(after.join(' ')))) {
    const known = [...GLOBAL, ...optionsOf(name)];
    const wrong = after.filter((word) => word.startsWith('--') && !known.includes(word));
    return wrong.length > 0 ? `There is no ${wrong.join(', ')}` : undefined;
  }
  const ignore = () => undefined;
  const program = createProgram({
    commands,
    writeOut: ignore,
    writeErr: ignore,
    prepare: async () => undefined,
    run: async () => undefined,
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.message === '(outputHelp)';
    return isHelp ? undefined : describeProblem(error);
  }
}

const documents = documentNames().map((name) => ({ name, text: readFileSync(name, 'utf8') }));

test.each(documents.filter(({ text }) => commandsOf(text).length > 0))(
  'the command line accepts the commands of $name',
  async ({ text }) => {
    const refused: string[] = [];
    for (const command of commandsOf(text)) {
      const refusal = await refusalOf(command);
      if (refusal !== undefined) refused.push(`${command.words.join(' ')}: ${refusal}`);
    }
    expect(refused).toEqual([]);
  },
);

/** The words of an example, as a shell gives them to the program. */
const wordsOfShell = (example: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${example.split(/ [<>|] /)[0]}`], { encoding: 'utf8' })
    .trim()
    .split('\n');

test('the command line accepts the examples of its help, whose days are within their limits', async () => {
  const refused: string[] = [];
  for (const { name, load } of commands)
    for (const tail of commandExamples(await load())) {
      const example = `${name} ${tail}`;
      const words = wordsOfShell(example);
      const refusal = await refusalOf({ words, isProse: false });
      if (refusal !== undefined) refused.push(`${example}: ${refusal}`);
    }
  expect(refused).toEqual([]);
  const extend = await commands.find(({ name }) => name === 'voucher extend')?.load();
  const words = wordsOfShell(extend?.examples?.[0] ?? '');
  const day = words[words.indexOf('--until') + 1] ?? '';
  const limits = extendVoucherRepair.limits?.(
    readAdminConfig({ DATABASE_URL: 'postgres://localhost/none' }),
  );
  expect(`Up to ${day}.` <= (limits?.until ?? '')).toBe(true);
});

test('the commands of the runbook are among them, and wrong ones are refused', async () => {
  const pages = documents.filter(({ name }) => name.startsWith('docs/guides/runbook/'));
  const withCommands = pages.filter(({ text }) => commandsOf(text).length > 0);
  expect(withCommands.length).toBeGreaterThanOrEqual(10);
  for (const line of [
    'npm run admin -- top-up retry 17',
    'npm run admin -- partner nothing --help',
    'npm run admin -- money deposit --partner 1 --wallet gifts --amount 5 --reference R',
    'docker compose run --rm admin partner show 1 --loud',
  ]) {
    const [shown] = commandsOf(`\`\`\`sh\n${line}\n\`\`\``);
    expect(shown && (await refusalOf(shown)), line).toBeTypeOf('string');
  }
});

test('a command that prose names has the options that it needs, and none that it does not know', async () => {
  const refusalOfProse = async (line: string) => {
    const [shown] = commandsOf(`Then \`${line}\` does it.`);
    return shown && (await refusalOf(shown));
  };
  for (const line of [
    'npm run admin -- money deposit --partner 1 --amount 5',
    'money deposit --partner 1 --amount 5',
    'money deposit --partner 1 --purse gift …',
    'access api-key create --scope',
    'merchant payout-account confirm --merchant 3',
  ])
    expect(await refusalOfProse(line), line).toBeTypeOf('string');
  for (const line of [
    'money deposit --partner 1 --wallet gift --amount 5 --reference R',
    'money deposit --partner 1 …',
    'access api-key create --scopes',
    'merchant invite',
    'merchant payout-account list --unpaid',
  ])
    expect(await refusalOfProse(line), line).toBeUndefined();
});

test('the commands that pages, workflows and messages of the service name are there', () => {
  const sources = ['src', 'workflows', 'activities'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
  );
  const named = sources.flatMap((text) =>
    // A text may go on in the next line of the source.
    [
      ...text
        .replaceAll(/['`]\s*\+\s*['`]/g, '')
        .matchAll(/npm run admin -- ([a-z-]+(?: [a-z-]+){0,2})/g),
    ],
  );
  const unknown = named
    .map(([, words = '']) => words)
    .filter((words) => nameOf(words.split(' ')) === undefined);
  expect(named.length).toBeGreaterThan(10);
  expect(unknown).toEqual([]);
});

test('the table has the commands of each file, and each repair by its title', async () => {
  const files = readdirSync('src/admin/commands', { encoding: 'utf8' });
  const inFiles: string[] = [];
  for (const file of files) {
    const { commands: ofFile } = await import(
      /* @vite-ignore */ `../../src/admin/commands/${file}`
    );
    inFiles.push(...Object.keys(ofFile));
  }
  // A name of the table that its file lacks has no command.
  for (const { name, load } of allCommands)
    expect((await load())?.run, name).toBeTypeOf('function');
  const listed = allCommands.map(({ name }) => name);
  expect(new Set(listed).size).toBe(listed.length);
  expect(inFiles.filter((name) => !listed.includes(name))).toEqual([]);
  expect(repairKinds.map(({ name }) => name).sort()).toEqual(Object.keys(repairTitles).sort());
  const others = allCommands.filter(({ name }) => !inFiles.includes(name));
  expect(others.map(({ summary }) => summary).sort()).toEqual(
    repairKinds.flatMap(({ title, isAlwaysByTwo }) => (isAlwaysByTwo ? [] : [title])).sort(),
  );
});

/** The output of a call that ends without a command. */
async function helpOf(words: readonly string[]): Promise<string> {
  let shown = '';
  const write = (text: string) => {
    shown += text;
  };
  await runAdmin([...words], { out: { write }, err: { write } });
  return shown;
}

const SCREEN = { lines: 24, columns: 80 };

test.each([[], ...Object.keys(commandGroups).map((path) => path.split(' '))])(
  'the help of %s %s fits one screen and names all below it',
  async (...words: string[]) => {
    const lines = (await helpOf([...words, '--help'])).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(SCREEN.lines);
    expect(lines.filter((line) => line.length > SCREEN.columns)).toEqual([]);
    const prefix = words.map((word) => `${word} `).join('');
    const below = [...Object.keys(commandGroups), ...allCommands.map(({ name }) => name)].filter(
      (path) => path.startsWith(prefix) && !path.slice(prefix.length).includes(' '),
    );
    expect(below.length).toBeGreaterThan(1);
    for (const path of below)
      expect(
        lines.some((line) => line.startsWith(`  ${path.slice(prefix.length)} `)),
        path,
      ).toBe(true);
  },
);

test.each([
  ['partnr list', /^Unknown command 'partnr' \(Did you mean partner\?\)/],
  ['partner crate', /^Unknown command 'crate' \(Did you mean create\?\)/],
  ['access webhok list', /^Unknown command 'webhok' \(Did you mean webhook\?\)/],
  ['access webhook psue', /^Unknown command 'psue' \(Did you mean pause\?\)/],
  ['money deposit --partnr 1', /^Unknown option '--partnr' \(Did you mean --partner\?\)/],
  ['money --jsn', /^Unknown option '--jsn' \(Did you mean --json\?\)/],
])('a mistake suggests the nearest: %s', async (words, expected) => {
  expect(await helpOf(words.split(' '))).toMatch(expected);
});

test('every command is of a group that help lists', () => {
  const parents = allCommands.map(({ name }) => name.split(' ').slice(0, -1).join(' '));
  expect(parents.filter((path) => !(path in commandGroups))).toEqual([]);
});
