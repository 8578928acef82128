import { describe, expect, it } from 'vitest';
import { listLinks, listMeta, listQuery } from '../../src/http/list-query.js';

const ADDRESS = 'https://api.example/api/v1/client/merchants';

describe('listQuery', () => {
  it.each([
    ['nothing', {}, { page: 1, limit: 10 }],
    ['a page and a limit', { page: '3', limit: '25' }, { page: 3, limit: 25 }],
    ['a limit above the maximum', { limit: '101' }, { page: 1, limit: 100 }],
    ['the largest limit', { limit: '999999999' }, { page: 1, limit: 100 }],
    ['what it does not know', { colour: 'red' }, { page: 1, limit: 10 }],
    ['zeros in front', { page: '007' }, { page: 7, limit: 10 }],
  ])('reads %s', (_name, query, meant) => {
    expect(listQuery(10).parse(query)).toEqual(meant);
  });

  it.each(['0', '-1', '1.5', '1e9', 'NaN', '', ' 1', '٣', '1000001', '9'.repeat(5_000)])(
    'refuses the page %j',
    (page) => {
      expect(listQuery(10).safeParse({ page }).success).toBe(false);
    },
  );

  it.each([['0'], ['-5'], ['all'], [''], [['10', '20']], [{ gt: '1' }]])(
    'refuses the limit %j',
    (limit) => {
      expect(listQuery(10).safeParse({ limit }).success).toBe(false);
    },
  );
});

describe('listMeta', () => {
  it.each([
    ['an empty list', 0, 0],
    ['one page that is full', 10, 1],
    ['one item more', 11, 2],
  ])('counts the pages of %s', (_name, totalItems, totalPages) => {
    expect(listMeta({ page: 1, limit: 10 }, totalItems, [['merchantName', 'ASC']])).toEqual({
      itemsPerPage: 10,
      totalItems,
      currentPage: 1,
      totalPages,
      sortBy: [['merchantName', 'ASC']],
    });
  });

  it('leaves the order out where there is none', () => {
    expect(listMeta({ page: 1, limit: 10 }, 3, undefined)).not.toHaveProperty('sortBy');
  });
});

describe('listLinks', () => {
  const linksOn = (page: number, totalItems: number) =>
    listLinks(ADDRESS, listMeta({ page, limit: 10 }, totalItems, [['merchantName', 'ASC']]));
  const linkTo = (page: number) => `${ADDRESS}?page=${page}&limit=10&sortBy=merchantName%3AASC`;

  it.each([
    ['the only page', 1, 10, { current: linkTo(1) }],
    ['an empty list', 1, 0, { current: linkTo(1) }],
    ['the first of three', 1, 25, { current: linkTo(1), next: linkTo(2), last: linkTo(3) }],
    [
      'the middle',
      2,
      25,
      {
        first: linkTo(1),
        previous: linkTo(1),
        current: linkTo(2),
        next: linkTo(3),
        last: linkTo(3),
      },
    ],
    ['the last', 3, 25, { first: linkTo(1), previous: linkTo(2), current: linkTo(3) }],
  ])('on %s', (_name, page, totalItems, links) => {
    expect(linksOn(page, totalItems)).toEqual(links);
  });

  it('names every column of the order, encoded', () => {
    const meta = listMeta({ page: 1, limit: 5 }, 1, [
      ['categoryName', 'ASC'],
      ['a&b=c', 'DESC'],
    ]);
    expect(listLinks(ADDRESS, meta)).toEqual({
      current: `${ADDRESS}?page=1&limit=5&sortBy=categoryName%3AASC&sortBy=a%26b%3Dc%3ADESC`,
    });
  });

  it('names no order where there is none', () => {
    const meta = listMeta({ page: 1, limit: 5 }, 1, undefined);
    expect(listLinks(ADDRESS, meta)).toEqual({ current: `${ADDRESS}?page=1&limit=5` });
  });
});
