import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { declareList, listFields } from '../../../src/db/lists/list.ts';
import type { Condition } from '../../../src/db/lists/list-page.ts';
import { conditionForm, type FilteredColumn } from '../../../src/http/lists/list-filters.ts';
import { listQuery } from '../../../src/http/lists/list-query.ts';

const { text, choice, searched, integer, decimal, time, boolean, lookUp } = listFields;
const column = sql`column`;

const list = declareList({
  name: 'things',
  from: () => sql`things`,
  where: () => sql`true`,
  id: column,
  sortBy: [['id', 'DESC']],
  fields: {
    id: integer(column),
    name: searched(column),
    'category.name': searched(column),
    code: text(column),
    status: choice(['ACTIVE', 'INACTIVE'])(column),
    price: decimal(column),
    at: time(column),
    isOpen: boolean(column),
    reference: lookUp(() => column),
  },
});

const query = listQuery({
  list,
  defaultLimit: 10,
  parameters: { since: { schema: z.string().max(30), column: 'at', operator: 'gte' } },
});

const plain = { page: 1, limit: 10, sortBy: [['id', 'DESC']], conditions: [] };

describe('page and limit', () => {
  it.each([
    ['nothing', {}, {}],
    ['a page and a limit', { page: '3', limit: '25' }, { page: 3, limit: 25 }],
    ['a limit above the maximum', { limit: '101' }, { limit: 100 }],
    ['the largest limit', { limit: '999999999' }, { limit: 100 }],
    ['what it does not know', { colour: 'red', 'page[]': '2', __proto__: null }, {}],
    ['zeros in front', { page: '007' }, { page: 7 }],
  ])('reads %s', (_name, sent, meant) => {
    expect(query.parse(sent)).toMatchObject({ ...plain, ...meant });
  });

  it.each(['0', '-1', '1.5', '1e9', 'NaN', '', ' 1', '٣', '1000001', '9'.repeat(5_000)])(
    'refuses the page %j',
    (page) => {
      expect(query.safeParse({ page }).success).toBe(false);
    },
  );

  it.each([['0'], ['-5'], ['all'], [''], [['10', '20']], [{ gt: '1' }]])(
    'refuses the limit %j',
    (limit) => {
      expect(query.safeParse({ limit }).success).toBe(false);
    },
  );
});

describe('what is refused', () => {
  it.each([
    [{ page: '0' }, 'must be one whole number from 1 to 1000000'],
    [{ page: '1000001' }, 'must be one whole number from 1 to 1000000'],
    [{ page: ['1', '2'] }, 'must be one whole number from 1 to 1000000'],
    [{ limit: '0' }, 'must be one whole number above 0'],
    [{ limit: 'x' }, 'must be one whole number above 0'],
    [{ limit: '9'.repeat(10) }, 'must be one whole number above 0'],
    [{ search: ['a', 'b'] }, 'must be one text'],
    [{ q: { a: '1' } }, 'must be text'],
  ])('says of %j what to send', (sent, message) => {
    expect(query.safeParse(sent).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

describe('sortBy', () => {
  it.each<[string | string[], [string, string][]]>([
    ['name:ASC', [['name', 'ASC']]],
    ['name:desc', [['name', 'DESC']]],
    ['category.name:DESC', [['category.name', 'DESC']]],
    [
      ['price:DESC', 'name:ASC'],
      [
        ['price', 'DESC'],
        ['name', 'ASC'],
      ],
    ],
    [['name:ASC', 'name:DESC'], [['name', 'ASC']]],
  ])('reads %j', (sortBy, meant) => {
    expect(query.parse({ sortBy }).sortBy).toEqual(meant);
  });

  it.each([
    'name',
    'name:UP',
    'name:ASC:DESC',
    'nothing:ASC',
    'reference:ASC',
    'toString:ASC',
    '__proto__:ASC',
    'constructor.prototype:ASC',
    'id; drop table merchants:ASC',
    '',
  ])('refuses %j, also behind another term', (sortBy) => {
    for (const sent of [{ sortBy }, { sortBy: ['name:ASC', sortBy] }])
      expect(query.safeParse(sent).error?.issues).toMatchObject([
        {
          path: ['sortBy'],
          message: expect.stringMatching(
            /^must be column:ASC or column:DESC, with a column of id, name, /,
          ),
        },
      ]);
  });
});

describe('filters', () => {
  const condition = (name: string, operator: string, ...values: unknown[]) => ({
    column: name,
    operator,
    isNegated: false,
    values,
  });
  const not = (negated: object) => ({ ...negated, isNegated: true });
  const at = new Date('2026-01-31T00:00:00Z');

  it.each<[string, string, object]>([
    ['name', 'Bole', condition('name', 'eq', 'Bole')],
    ['name', '$eq:Bole', condition('name', 'eq', 'Bole')],
    ['name', '\u202aBole Coffee\u202c ', condition('name', 'eq', 'Bole Coffee')],
    ['name', '', condition('name', 'eq', '')],
    ['name', '$5 off: today', condition('name', 'eq', '$5 off: today')],
    ['name', '$eq:$in:a', condition('name', 'eq', '$in:a')],
    ['name', '$not:Bole', not(condition('name', 'eq', 'Bole'))],
    ['name', '$not:$sw:B', not(condition('name', 'sw', 'B'))],
    ['name', '$ilike:50%', condition('name', 'ilike', '50%')],
    ['name', '$null', condition('name', 'null')],
    ['name', '$not:$null', not(condition('name', 'null'))],
    ['name', '$in:a, b,c', condition('name', 'in', 'a', 'b', 'c')],
    ['category.name', '$btw:a,b', condition('category.name', 'btw', 'a', 'b')],
    ['id', '-12', condition('id', 'eq', '-12')],
    ['price', '$gte:1.50', condition('price', 'gte', '1.50')],
    ['at', '$lt:2026-01-31', condition('at', 'lt', at)],
    ['at', '$lt:2026-01-31T03:00:00+03:00', condition('at', 'lt', at)],
    ['isOpen', 'true', condition('isOpen', 'eq', true)],
    ['isOpen', '$not:0', not(condition('isOpen', 'eq', false))],
    ['reference', 'A:B', condition('reference', 'eq', 'A:B')],
    ['status', 'ACTIVE', condition('status', 'eq', 'ACTIVE')],
    ['status', '$not:$in:ACTIVE, INACTIVE', not(condition('status', 'in', 'ACTIVE', 'INACTIVE'))],
    ['status', '$null', condition('status', 'null')],
    ['status', '$ilike:act', condition('status', 'ilike', 'act')],
    ['status', '$gt:B', condition('status', 'gt', 'B')],
  ])('read %s=%s', (name, value, meant) => {
    const read = query.parse({ [`filter.${name}`]: value });
    expect(read.conditions).toEqual([meant]);
    expect(read.filter).toEqual({ [name]: value });
    expect(read.given).toEqual([[`filter.${name}`, value]]);
    const { pattern = '' } = conditionForm({ name, ...list.columns[name] } as FilteredColumn);
    expect(value).toMatch(new RegExp(pattern, 'u'));
  });

  it.each<[string, string]>([
    ['name', '$neq:a'],
    ['name', '$EQ:a'],
    ['name', '$or:$eq:a'],
    ['name', '$eq'],
    ['name', '$not:$eq'],
    ['name', '$null:1'],
    ['name', '$btw:a'],
    ['name', '$btw:a,b,c'],
    ['name', 'n'.repeat(201)],
    ['name', 'a\0b'],
    ['name', 'a\ud800'],
    ['name', `$in:${'a,'.repeat(100)}a`],
    ['id', '1.5'],
    ['id', ''],
    ['id', '99999999999999999999'],
    ['id', 'NaN'],
    ['id', '1e3'],
    ['id', '١'],
    ['id', '$ilike:1'],
    ['price', '1.1234567'],
    ['price', 'Infinity'],
    ['at', 'yesterday'],
    ['at', '2026-02-30'],
    ['at', '2026-02-30T00:00:00Z'],
    ['at', '2026-01-01T00:00:00'],
    ['at', '2026-01-01T25:00:00Z'],
    ['at', '0000-01-01T00:00:00Z'],
    ['at', '9999-12-31T23:59:59-23:59'],
    ['isOpen', 'yes'],
    ['isOpen', '$gt:false'],
    ['reference', '$in:a,b'],
    ['status', 'FOO'],
    ['status', '$eq:active'],
    ['status', '$not:$in:ACTIVE,FOO'],
    ['status', ''],
    ['nothing', 'a'],
    ['__proto__', 'a'],
    ['constructor', 'a'],
    ['toString', 'a'],
    ['', 'a'],
  ])('refuse %s=%s and repeat nothing of it', (name, value) => {
    const result = query.safeParse(JSON.parse(JSON.stringify({ [`filter.${name}`]: value })));
    expect(result.success).toBe(false);
    for (const { path, message } of result.error?.issues ?? []) {
      expect(message).toMatch(/^must /);
      expect(message).not.toContain('undefined');
      expect(
        ['filter', 'filter.name', 'filter.id', 'filter.price', 'filter.at'].concat([
          'filter.isOpen',
          'filter.status',
          'filter.reference',
        ]),
      ).toContain(path.join());
    }
  });

  it('name the values that a column can have', () => {
    for (const sent of [{ 'filter.status': 'FOO' }, { q: 'status=FOO' }]) {
      const { error } = query.safeParse(sent);
      expect(error?.issues.map(({ message }) => message)).toEqual([
        'must be one of ACTIVE, INACTIVE',
      ]);
    }
  });

  it('all hold where there are several', () => {
    const sent = { 'filter.id': ['$gt:1', '$lt:9'], 'filter.name': 'a' };
    const read = query.parse(sent);
    expect(read.conditions.map(({ operator }: Condition) => operator)).toEqual(['gt', 'lt', 'eq']);
    expect(read.filter).toEqual({ id: ['$gt:1', '$lt:9'], name: 'a' });
  });

  it('are at most 20', () => {
    const sent = (count: number) => ({ 'filter.id': Array.from({ length: count }, () => '1') });
    expect(query.safeParse(sent(20)).success).toBe(true);
    expect(query.safeParse(sent(21)).success).toBe(false);
  });

  it('of the list itself are no operators', () => {
    expect(query.parse({ since: '2026-01-31' }).conditions).toEqual([condition('at', 'gte', at)]);
    expect(query.safeParse({ since: '$null' }).success).toBe(false);
    expect(query.safeParse({ since: ['2026-01-31', '2026-01-31'] }).success).toBe(false);
  });
});

describe('q', () => {
  it.each<[string | string[], [string, string, unknown][]]>([
    ['category.name=PACKAGES', [['category.name', 'same', 'PACKAGES']]],
    ['status=active', [['status', 'same', 'ACTIVE']]],
    ['name=a=b', [['name', 'same', 'a=b']]],
    [' name = a ', [['name', 'same', 'a']]],
    [
      'name=Bole, Electronics,id=3',
      [
        ['name', 'same', 'Bole, Electronics'],
        ['id', 'same', '3'],
      ],
    ],
    [
      ['name=a', 'price=$gt:3'],
      [
        ['name', 'same', 'a'],
        ['price', 'gt', '3'],
      ],
    ],
  ])('reads %j', (q, meant) => {
    const { conditions } = query.parse({ q });
    expect(
      conditions.map(({ column: name, operator, values }) => [name, operator, ...values]),
    ).toEqual(meant);
  });

  it.each(['PACKAGES', '', 'nothing=a', 'name', 'id=a', '=a', 'a='.repeat(50)])(
    'refuses %j',
    (q) => {
      expect(query.safeParse({ q }).success).toBe(false);
    },
  );
});

describe('search', () => {
  it('looks into every column that is searched, or into those of searchBy', () => {
    const columns = ['name', 'category.name'];
    expect(query.parse({ search: 'a' }).search).toEqual({ text: 'a', columns });
    expect(query.parse({ search: 'a', searchBy: 'name' }).search?.columns).toEqual(['name']);
    expect(query.parse({ search: '' })).not.toHaveProperty('search');
  });

  it.each([
    { search: 'a', searchBy: 'code' },
    { search: 'a', searchBy: ['name', '__proto__'] },
    { search: ['a', 'b'] },
    { search: 's'.repeat(201) },
    { search: '\0' },
  ])('refuses %j', (sent) => {
    expect(query.safeParse(sent).success).toBe(false);
  });
});

describe('a query is usual', () => {
  it.each<[boolean, object]>([
    [true, {}],
    [true, { page: '9', limit: '3' }],
    [true, { q: 'category.name=PACKAGES' }],
    [true, { 'filter.code': 'a' }],
    [false, { 'filter.code': 'a', 'filter.name': 'b' }],
    [false, { 'filter.code': '$not:a' }],
    [false, { 'filter.id': '1' }],
    [false, { sortBy: 'name:ASC' }],
    [false, { search: 'a' }],
  ])('%s: %j', (isUsual, sent) => {
    expect(query.parse(sent).isUsual).toBe(isUsual);
  });
});
