import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { topupStates, voucherStates } from '../../src/pages/layout/labels.ts';
import { stateWord } from '../../src/pages/layout/parts.ts';
import { complaints } from '../../src/pages/staff/guide.ts';
import { repairKinds } from '../../src/repairs/repair-kinds.ts';

const namesIn = (markdown: string, pattern: RegExp): string[] =>
  [...markdown.matchAll(pattern)].map(([, name = '']) => name.replaceAll(/\s+/g, ' '));

const titles = repairKinds.map(({ title }) => title);

test('every repair that the guide of support names is on a button', () => {
  const guide = readFileSync('docs/guides/support.md', 'utf8');
  const named = namesIn(guide, /\*\*([^*]+)\*\*/g);
  expect(named.length).toBeGreaterThan(6);
  expect(named.filter((name) => !titles.includes(name))).toEqual([]);
});

const states = [...Object.values(topupStates), ...Object.values(voucherStates)].map(stateWord);

test.each(complaints)('the states of “$title” are those that pages show', ({ markdown }) => {
  const named = namesIn(markdown, /(?<!\*)\*([^*]+)\*(?!\*)/g);
  expect(named.filter((name) => !states.includes(name))).toEqual([]);
});

test('a customer who got nothing may have a case whose end is unknown yet', () => {
  const [paid] = complaints.filter(({ title }) => title === 'Paid, and got nothing');
  expect(paid?.markdown).toContain(`*${stateWord(topupStates.UNKNOWN)}*`);
});

test('a button that opens a form of a repair says other words than the one that sends it', () => {
  const buttons = repairKinds.map(({ button }) => button);
  expect(buttons.filter((button) => titles.includes(button))).toEqual([]);
});
