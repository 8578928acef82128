import { expect, test } from 'vitest';
import { logLine } from '../../../src/local/start/welcome.ts';
import { createLogger, describeError } from '../../../src/runtime/process/logger.ts';
import { createProgress } from '../../../src/runtime/process/progress.ts';

/** A log as a start writes it. */
function startLog(isTTY: boolean) {
  let text = '';
  const output = { isTTY, columns: 80, write: (more: string) => (text += more) };
  const progress = createProgress(output);
  const logger = createLogger('warn', 'start', {
    write: (line) => progress.print(logLine(line)),
  });
  return { logger, progress, text: () => text };
}

test('a warning is a line for people between the steps', async () => {
  const { logger, progress, text } = startLog(false);
  await progress.step('Worker and API', async () => {
    logger.warn({ provider: 'gsma', attempts: 3, words: 'not now' }, 'A provider did not answer');
    logger.info('Said at no start');
  });
  expect(text()).toMatch(
    /^\d\d:\d\d:\d\d warning A provider did not answer provider=gsma attempts=3 words="not now"\n✓ Worker and API \(\d+\.\d s\)\n$/,
  );
});

test('the stacks of an error and of its cause stand below it, line by line', () => {
  const { logger, text } = startLog(false);
  const cause = new TypeError('no such field');
  logger.error(describeError(new Error('no row', { cause })), 'Request failed');
  const [first, ...rest] = text().split('\n');
  expect(first).toMatch(
    /^\d\d:\d\d:\d\d error Request failed error=Error errorMessage="no row" cause=\{"error":"TypeError","errorMessage":"no such field"\}$/,
  );
  const expected = ['    Error: no row', '    TypeError: no such field'];
  expect(rest.filter((line) => expected.includes(line))).toEqual(expected);
  expect(rest.filter((line) => /^ {8}at /.test(line)).length).toBeGreaterThan(2);
  expect(text()).not.toContain('\\n');
});

test('on a terminal it takes the place of the running steps', async () => {
  const { logger, progress, text } = startLog(true);
  await progress.step('PostgreSQL', async (note) => {
    note('starting');
    logger.warn('The disk is slow');
  });
  const cleared = text().split('\u001b[2K');
  expect(cleared).toContainEqual(
    expect.stringMatching(/^\d\d:\d\d:\d\d warning The disk is slow\n/),
  );
});
