import { describe, expect, it } from 'vitest';
import { listLinks, listMeta } from '../../../src/http/lists/list-filters.ts';

const ADDRESS = 'https://api.example/api/v1/client/merchants';

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
    expect(listMeta({ page: 1, limit: 10 }, 3)).not.toHaveProperty('sortBy');
  });
});

describe('listLinks', () => {
  const linksOn = (page: number, totalItems: number) =>
    listLinks(ADDRESS, listMeta({ page, limit: 10 }, totalItems, [['merchantName', 'ASC']]));
  const linkTo = (page: number) => `${ADDRESS}?page=${page}&limit=10&sortBy=merchantName:ASC`;

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

  it('repeats order and filters, encoded so that they are read as they were sent', () => {
    const meta = listMeta({ page: 1, limit: 5 }, 1, [
      ['categoryName', 'ASC'],
      ['id', 'DESC'],
    ]);
    const given = [
      ['search', 'a&b=c +%3A#é'],
      ['filter.id', '$in:1,2'],
      ['filter.id', '$not:$null'],
      ['q', 'categoryName=A,isActive=true'],
    ] as const;
    const { current = '' } = listLinks(ADDRESS, meta, given);
    expect(current).toContain(
      '?page=1&limit=5&sortBy=categoryName:ASC&sortBy=id:DESC&search=a%26b%3Dc+%2B%253A%23%C3%A9' +
        '&filter.id=$in:1,2&filter.id=$not:$null&q=categoryName%3DA,isActive%3Dtrue',
    );
    expect([...new URL(current).searchParams].slice(4)).toEqual(given);
  });

  it('names no order where there is none', () => {
    const meta = listMeta({ page: 1, limit: 5 }, 1);
    expect(listLinks(ADDRESS, meta)).toEqual({ current: `${ADDRESS}?page=1&limit=5` });
  });
});
