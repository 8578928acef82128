import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createProgress } from '../../src/admin/progress.js';

/** A stream that keeps what is written, a terminal or not. */
function makeStream(isTTY: boolean) {
  let text = '';
  const stream = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    }),
    { isTTY, columns: 80 },
  );
  return { stream, written: () => text };
}

function watch(stream: Parameters<typeof createProgress>[0]) {
  const progress = createProgress(stream);
  progress.begin('Checking', 4);
  progress.advance(1);
  progress.begin('Writing', 2);
  progress.advance(2);
  progress.end();
  progress.end();
}

describe('progress', () => {
  test('is shown on a terminal, and taken away', () => {
    const { stream, written } = makeStream(true);
    watch(stream);
    expect(written()).toMatch(/Checking \[.*\] 0 of 4.*1 of 4.*Writing \[.*\] 2 of 2/s);
    // The escape sequence that empties a line.
    expect(written().endsWith('\u001b[2K')).toBe(true);
  });

  test('is not shown where nobody watches', () => {
    const { stream, written } = makeStream(false);
    watch(stream);
    watch(undefined);
    expect(written()).toBe('');
  });
});
