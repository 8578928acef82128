import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../../src/http/body/json-body.ts';

const JSON_TYPE = 'application/json';
const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text), JSON_TYPE);

describe('parseJsonBody', () => {
  it.each([
    ['an empty object', '{}', {}],
    ['spaces around it', ' \n\t{ "a" : 1 }\r\n', { a: 1 }],
    ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['other scripts', '{"ስም":"ሰላም 🎁"}', { ስም: 'ሰላም 🎁' }],
    ['an escaped pair of surrogates', '{"a":"\\ud83c\\udf81"}', { a: '🎁' }],
    ['escaped quotes and backslashes', '{"a":"\\"\\\\","b":"\\\\"}', { a: '"\\', b: '\\' }],
    [
      'brackets, colons and keys in texts',
      '{"a":"[{:","b":["a","a"]}',
      { a: '[{:', b: ['a', 'a'] },
    ],
    [
      'a key again in another object',
      '{"a":{"a":{"a":1}},"b":{"a":2}}',
      { a: { a: { a: 1 } }, b: { a: 2 } },
    ],
    ['a key again as a value', '{"a":"b","b":"a"}', { a: 'b', b: 'a' }],
    [
      'a key after an inner object',
      '{"a":[{"b":1},{"b":2}],"b":3}',
      { a: [{ b: 1 }, { b: 2 }], b: 3 },
    ],
    ['32 levels', `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`, expect.any(Object)],
  ])('reads %s', (_, text, value) => {
    expect(parse(text)).toEqual({ ok: true, value });
  });

  it.each([
    ['nothing', '', /empty/],
    ['spaces', '  ', /JSON/],
    ['half an object', '{"a":', /JSON/],
    ['trailing bytes', '{"a":1}x', /JSON/],
    ['two objects', '{}{}', /JSON/],
    ['a comment', '{/* */}', /JSON/],
    ['single quotes', "{'a':1}", /JSON/],
    ['a trailing comma', '{"a":1,}', /JSON/],
    ['NaN', '{"a":NaN}', /JSON/],
    ['Infinity', '{"a":Infinity}', /JSON/],
    ['a hexadecimal number', '{"a":0x10}', /JSON/],
    ['a line break in a text', '{"a":"b\nc"}', /JSON/],
    ['a form', 'a=b&c=1', /JSON/],
    ['a number of another script', '{"a":١}', /JSON/],
    ['an array', '[]', /object/],
    ['null', 'null', /object/],
    ['a text', '"a"', /object/],
    ['a number', '1', /object/],
    ['a key twice', '{"amount":1,"amount":2}', /twice/],
    ['a key twice, once escaped', '{"amount":1,"\\u0061mount":2}', /twice/],
    ['a key twice further down', '{"a":[{"b":1,"c":[{}],"b":2}]}', /twice/],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', /twice/],
    ['an empty key twice', '{"":1,"":2}', /twice/],
    ['NUL in a value', '{"a":"x\\u0000"}', /NUL/],
    ['NUL in a key', '{"a\\u0000":1}', /NUL/],
    ['a lone surrogate', '{"a":"\\ud83c"}', /surrogate/],
    ['surrogates in the wrong order', '{"a":"\\udf81\\ud83c"}', /surrogate/],
    ['33 levels', `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`, /levels/],
    ['100,000 arrays', `{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, /levels/],
    ['100,000 objects', `${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`, /levels/],
    ['100,000 open brackets', '['.repeat(1e5), /JSON/],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), /UTF-8/],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), /JSON/],
    ['a surrogate in UTF-8', Buffer.from('7b2261223a22eda0bd227d', 'hex'), /UTF-8/],
  ])('refuses %s', (_, text, message) => {
    expect(parse(text)).toEqual({
      ok: false,
      reason: 'request-invalid',
      detail: expect.stringMatching(message),
    });
  });

  it.each([
    '{"__proto__":{"polluted":true},"a":1}',
    '{"\\u005f_proto__":{"polluted":true},"a":1}',
    '{"a":1,"__proto__":{"__proto__":{"polluted":true}}}',
  ])('drops prototypes from %s', (text) => {
    const body = parse(text);
    if (!body.ok) throw new Error(body.detail);
    expect(Object.keys(body.value)).toEqual(['a']);
    const copy = Object.assign({}, body.value) as { polluted?: boolean };
    expect(copy.polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('drops prototypes further down and keeps the rest', () => {
    expect(parse('{"a":[{"__proto__":{"b":1},"c":2}],"constructor":{"prototype":3}}')).toEqual({
      ok: true,
      value: { a: [{ c: 2 }], constructor: { prototype: 3 } },
    });
  });

  it('repeats nothing of a body in its messages', () => {
    const body = parse('{"verificationCode":"123456","verificationCode":123456x');
    expect(JSON.stringify(body)).not.toContain('1234');
  });

  it.each([
    ['application/json', true],
    ['Application/JSON', true],
    ['application/json; charset=utf-8', true],
    ['application/json;charset="UTF-8"', true],
    ['application/json; charset=utf8', true],
    ['application/json;', true],
    ['application/json; charset=utf-16', false],
    ['application/json; charset=iso-8859-1', false],
    ['application/jsonp', false],
    ['application/problem+json', false],
    ['text/plain', false],
    ['multipart/form-data; boundary=x', false],
    ['application/xml', false],
    ['json', false],
    ['text/plain; application/json', false],
    ['application/x-www-form-urlencoded', false],
    ['', false],
    [undefined, false],
    [`application/json;${' '.repeat(50_000)}`, false],
  ])('judges the media type %s', (contentType, isSupported) => {
    const body = parseJsonBody(Buffer.from('{}'), contentType);
    expect(body.ok).toBe(isSupported);
    if (!body.ok) expect(body.reason).toBe('media-type-unsupported');
  });
});
