import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv, readCsvRecords } from '../../src/rendering/csv.ts';

/** A number calculates nothing, with whichever sign. */
const NUMBER = /^-?\d+(\.\d+)?$/;

const read = (text: string): string[][] => parse(text, { bom: true, relax_column_count: true });

test.each([
  ['=HYPERLINK("http://evil.example")', '\'=HYPERLINK("http://evil.example")'],
  ['+251911000000', "'+251911000000"],
  ['-1+1', "'-1+1"],
  ['-0', '-0'],
  ['-12.50', '-12.50'],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1+1', "'\t=1+1"],
  ['  =1+1', "'  =1+1"],
  ['＝1+1', "'＝1+1"],
  ['Habesha, "Books"', 'Habesha, "Books"'],
  ['two\nlines', 'two\nlines'],
  ['12.50', '12.50'],
  ['12345678901', '12345678901'],
  ['123456789012', "'123456789012"],
  ['000000000000000017', "'000000000000000017"],
  ['ቡና', 'ቡና'],
])('%j is read as %j', (given, expected) => {
  expect(read(csv([[given, 'next']]))).toEqual([[expected, 'next']]);
});

test('what is not there is empty, and each row has its end', () => {
  expect(csv([[null, 1], ['a']])).toBe('\uFEFF"","1"\r\n"a"\r\n');
});

test('whatever stands in a cell, it is one cell and no formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (cells) => {
      const [row = []] = read(csv([[...cells, 'end']]));
      expect(row).toHaveLength(cells.length + 1);
      for (const [index, cell] of row.slice(0, -1).entries()) {
        if (!NUMBER.test(cell)) expect(cell).not.toMatch(/^\s*[=+\-@]/);
        expect([cells[index], `'${cells[index]}`]).toContain(cell);
      }
    }),
  );
});

/** Texts that begin as those do that get an apostrophe. */
const anyCell = fc
  .tuple(
    fc.constantFrom('', "'", "''", "'-", "'=", '=', '+', '20261130000', "'20261130000"),
    fc.string(),
  )
  .map((parts) => parts.join(''));

test('a file of ours is read as it was before it was written', () => {
  fc.assert(
    fc.property(fc.array(anyCell), (cells) => {
      const row = ['first', ...cells];
      const limits = { rows: 2, rowCharacters: 100_000 };
      expect(readCsvRecords(csv([row]), limits).map(({ cells: read }) => read)).toEqual([row]);
    }),
  );
});
