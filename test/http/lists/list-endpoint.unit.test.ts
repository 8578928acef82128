import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { declareList, listFields } from '../../../src/db/lists/list.ts';
import { listEndpoint } from '../../../src/http/lists/list-endpoint.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';

const { text, decimal, time, shown, hidden } = listFields;

const things = declareList({
  name: 'things',
  from: () => sql`things`,
  where: () => sql`true`,
  id: sql`id`,
  sortBy: [['name', 'ASC']],
  fields: {
    name: text(sql`thing_name`),
    price: decimal(sql`price`, 'price.amount'),
    madeAt: time(sql`made_at`),
    secret: shown<string>(sql`secret`),
    weight: hidden(decimal(sql`weight`)),
  },
});

const AT = new Date('2026-11-27T00:00:00Z');
const row = { name: 'Cup', price: '12.50', madeAt: AT, secret: 'hush' };

const words = { path: '/things', summary: 'List things', description: 'Things', message: 'Things' };

const answerOf = async (endpoint: ReturnType<typeof listEndpoint>) => {
  const page = { items: [row], totalItems: 1, isAtLeast: false };
  const services = {
    lists: { readPage: () => Promise.resolve(page) },
    settings: { http: { publicUrl: 'https://api.example' } },
  };
  const request = {
    services,
    company: { kind: 'partner', id: 1 },
    query: endpoint.query?.parse({}),
    path: '/things',
  };
  const reply = await endpoint.handle(request as never);
  return 'data' in reply ? JSON.parse(JSON.stringify(reply.data)) : reply;
};

it('answers the described fields of a row and no others', async () => {
  const item = z.object({ name: z.string(), madeAt: z.string() });
  const endpoint = listEndpoint({ ...words, list: things, defaultLimit: 10, item });
  expect(await answerOf(endpoint)).toEqual([{ name: 'Cup', madeAt: AT.toISOString() }]);
});

it('presents what the row has in another form, which the compiler demands', async () => {
  const item = z.object({ name: z.string(), price: z.number() });
  const definition = { ...words, list: things, defaultLimit: 10, item };
  // @ts-expect-error The price of the row is a text.
  listEndpoint(definition);
  const present = ({ price }: typeof row) => ({ price: Number(price) });
  expect(await answerOf(listEndpoint({ ...definition, present }))).toEqual([
    { name: 'Cup', price: 12.5 },
  ]);
});

it('sorts and filters by the names of callers, and not by what is only shown', () => {
  const item = z.object({ name: z.string() });
  const { list, query } = listEndpoint({ ...words, list: things, defaultLimit: 10, item });
  expect(Object.keys(list?.list.columns ?? {})).toEqual([
    'name',
    'price.amount',
    'madeAt',
    'weight',
  ]);
  expect(query?.parse({})).toMatchObject({ sortBy: [['name', 'ASC']], limit: 10 });
});

it.each(
  [...partnerRoutes.endpoints, ...merchantRoutes.endpoints].flatMap((endpoint) =>
    endpoint.list ? [[endpoint.path, endpoint, endpoint.list] as const] : [],
  ),
)(
  '%s filters what has a few values by these values',
  (_path, { answer }, { list: { columns } }) => {
    const { element } = answer as z.ZodArray<z.ZodObject>;
    const values = Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, 'values' in column && column.values]),
    );
    for (const [name, field] of Object.entries(element.shape))
      if (field instanceof z.ZodEnum && name in values) expect(values[name]).toEqual(field.options);
  },
);
