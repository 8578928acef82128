import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonBody } from '../../../src/http/body/json-body.ts';
import { readBody } from '../../../src/http/body/read-body.ts';
import { orderVouchersEndpoint } from '../../../src/partner/bulk-orders.ts';

const JSON_TYPE = 'application/json';
const read = (text: string) => readBody(orderVouchersEndpoint, Buffer.from(text), JSON_TYPE);
const lineOf = (reference: string) =>
  JSON.stringify({ reference, denominationId: 1, merchantId: 2, msisdn: null });
const linesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => lineOf(`line-${index + 1}`)).join(',');

describe('an order that is read in blocks', () => {
  test.each([
    ['one line', `{"lines":[${linesOf(1)}]}`, 1],
    ['two blocks and a half', `{"lines" : [ ${linesOf(500)} ] }`, 500],
    ['as many lines as there may be', `{"lines":[${linesOf(10_000)}]}`, 10_000],
    ['the name in a text', `{"a":"lines","b":["lines"],"lines":[${linesOf(1)}]}`, 1],
    ['the name further down', `{"a":{"lines":[1]},"lines":[${linesOf(2)}]}`, 2],
    ['an escaped name', `{"l\\u0069nes":[${linesOf(2)}]}`, 2],
    ['brackets in texts', `{"lines":[${lineOf('a],[{"')}]}`, 1],
  ])('is accepted with %s', async (_, text, count) => {
    const order = await read(text);
    const { lines } = JSON.parse(text);
    expect(order).toMatchObject({ result: { ok: true } });
    if (!('result' in order && order.result.ok)) return;
    const references = (order.result.value as { lines: { reference: string }[] }).lines;
    expect(references).toHaveLength(count);
    expect(references.map(({ reference }) => reference)).toEqual(
      lines.map(({ reference }: { reference: string }) => reference),
    );
  });

  test.each([
    ['no lines', '{}', ['lines: must be sent']],
    ['an empty array', '{"lines":[ ]}', ['lines: must have at least 1 line']],
    ['a text for the lines', '{"lines":"[]"}', ['lines: must be an array']],
    ['a line too many', `{"lines":[${linesOf(10_001)}]}`, ['lines: must have at most 10000 lines']],
    [
      'empty lines beyond the limit',
      `{"lines":[${'{},'.repeat(10_000)}{}]}`,
      ['lines: must have at most 10000 lines'],
    ],
    [
      'no objects',
      '{"lines":[1,null]}',
      ['lines.0: must be an object', 'lines.1: must be an object'],
    ],
    [
      'a reference twice, in two blocks',
      `{"lines":[${linesOf(300)},${lineOf('line-7')}]}`,
      ['lines.300.reference: is that of lines.6, too'],
    ],
    [
      'a wrong field and no merchant',
      '{"lines":[{"reference":"a","denominationId":"x","msisdn":null}]}',
      [
        'lines.0.denominationId: must be a whole number above 0',
        'lines.0.merchantId: must be sent, or merchantIdentifier',
      ],
    ],
  ])('names what is wrong with %s', async (_, text, issues) => {
    const order = await read(text);
    const found = 'result' in order && !order.result.ok ? order.result.issues : [];
    expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual(issues);
  });

  test('names the first twenty problems', async () => {
    const order = await read(`{"lines":[${'{},'.repeat(9_999)}{}]}`);
    const found = 'result' in order && !order.result.ok ? order.result.issues : [];
    expect(found.length).toBeGreaterThanOrEqual(20);
    expect(found.length).toBeLessThan(25);
  });

  test.each([
    ['a comma behind the last line', `{"lines":[${linesOf(3)},]}`],
    ['a comma behind a whole block', `{"lines":[${linesOf(200)},]}`],
    ['two commas between blocks', `{"lines":[${linesOf(200)},,${linesOf(1)}]}`],
    ['no end', `{"lines":[${linesOf(300)}`],
    ['another bracket at the end', `{"lines":[${linesOf(300)}}`],
    ['something behind it', `{"lines":[${linesOf(300)}]}]`],
    ['lines twice', `{"lines":[${linesOf(1)}],"lines":[]}`],
    ['lines twice, once escaped', `{"lines":[${linesOf(1)}],"l\\u0069nes":[]}`],
    ['a field of a line twice', `{"lines":[${linesOf(300)},{"a":1,"a":1}]}`],
    ['33 levels', `{"lines":[${'['.repeat(31)}${']'.repeat(31)}]}`],
    ['a long line', `{"lines":[{"a":"${'x'.repeat(70_000)}"}]}`],
    ['a long line without an end', `{"lines":[${'['.repeat(70_000)}`],
    ['a long text beside the lines', `{"lines":[${linesOf(1)}],"a":"${'x'.repeat(70_000)}"}`],
    ['lines behind a long text', `{"a":"${'x'.repeat(140_000)}","lines":[${linesOf(1)}]}`],
  ])('is refused with %s', async (_, text) => {
    expect(await read(text)).toMatchObject({ reason: 'request-invalid' });
  });

  test('is JSON exactly where the whole text is', async () => {
    const text = `{"a":[{}],"lines":[${linesOf(205)}],"b":"]"}`;
    const change = fc.record({
      at: fc.nat(text.length),
      removed: fc.nat(3),
      added: fc.stringMatching(/^[[\]{}",:\\ 1]{0,2}$/),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, removed, added }) => {
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        const order = await read(changed);
        expect('result' in order).toBe(parseJsonBody(Buffer.from(changed), JSON_TYPE).ok);
      }),
      { numRuns: 500 },
    );
  });

  test('names unknown fields of the order and of its lines once', async () => {
    const line = lineOf('a').replace('{', '{"restricted":true,');
    const order = await read(`{"note":1,"lines":[${line},${line.replace('"a"', '"b"')}]}`);
    expect(order).toMatchObject({ unknown: ['note', 'lines.restricted'] });
  });
});
