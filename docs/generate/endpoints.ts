import { callbackRoutes } from '../../src/callbacks/routes.ts';
import { headingAnchor } from '../../src/docs-site/markdown.ts';
import { type Reason, statusCodeOf } from '../../src/domain/refusals.ts';
import { tokenKeyRoutes } from '../../src/http/access/token-keys.ts';
import type { SurfaceRoutes } from '../../src/http/app.ts';
import { type Endpoint, scopeOf } from '../../src/http/endpoint.ts';
import { searchedOf } from '../../src/http/lists/list-filters.ts';
import { guards } from '../../src/http/pipeline.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { code, GENERATED, page, table } from './markdown.ts';
import { fieldsOf, shapeOf } from './shape.ts';

const SURFACES: readonly (readonly [title: string, routes: SurfaceRoutes])[] = [
  ['Partner API', partnerRoutes],
  ['Merchant API', merchantRoutes],
  ['Public keys of access tokens', tokenKeyRoutes],
  ['Callbacks of providers', callbackRoutes],
];

const ACCESS: Readonly<Record<Endpoint['access'], string>> = {
  public: 'anyone',
  token: 'access token',
  signed: 'access token and signature',
};

const scopeName = (endpoint: Endpoint): string => {
  const scope = scopeOf(endpoint);
  return scope ? `, scope ${code(scope)}` : '';
};

const routeOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

const anchorOf = (title: string, endpoint: Endpoint): string =>
  `#${headingAnchor(headingOf(title, endpoint))}`;

const headingOf = (title: string, endpoint: Endpoint): string => `${title}: ${routeOf(endpoint)}`;

function overview(title: string, endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map((endpoint) => [
    [
      `[${code(routeOf(endpoint))}](${anchorOf(title, endpoint)})`,
      ...(endpoint.aliases ?? []).map((alias) => code(`${endpoint.method} ${alias}`)),
    ].join(', '),
    endpoint.summary,
    ACCESS[endpoint.access] + scopeName(endpoint),
  ]);
  return table(['Endpoint', 'Purpose', 'Access'], rows);
}

/** The guards in their order: a request passes all of them before it reaches its endpoint. */
const way = (): string =>
  table(
    ['', 'Guard', 'What it does', 'Refuses with'],
    guards.map(({ name, purpose, reasons }, index) => [
      String(index + 1),
      name,
      purpose,
      reasons.map((reason) => `${statusCodeOf(reason, 'partner')} ${code(reason)}`).join(', '),
    ]),
  );

const KEYS: Readonly<Record<NonNullable<Endpoint['idempotency']>, string>> = {
  header: ' Idempotency key: the optional header `Idempotency-Key`.',
  body: ' Idempotency key: the field `idempotencyKey` of the body.',
};

const GUESSES: Readonly<Record<NonNullable<Endpoint['guessLimit']>, string>> = {
  'voucher-code':
    ' Codes of vouchers that are not found [are limited](rate-limits.md#guessing) for each company and address.',
};

const fieldTable = (title: string, schema: NonNullable<Endpoint['body']>): string =>
  table(
    [title, 'Needed', 'Meaning'],
    fieldsOf(schema).map(({ name, isRequired, meaning }) => [
      code(name),
      isRequired ? 'yes' : 'no',
      meaning,
    ]),
  );

function listTable(options: NonNullable<Endpoint['list']>): string {
  const { list, parameters = {}, defaultLimit } = options;
  const rows = [
    ['Filters by', Object.keys(list.columns).map(code).join(', ')],
    ['Searches', searchedOf(options).map(code).join(', ')],
    ['Own parameters', Object.keys(parameters).map(code).join(', ')],
    [
      'Without parameters',
      `${code(`limit=${defaultLimit}`)}, ${list.sortBy
        .map((term) => code(`sortBy=${term.join(':')}`))
        .join(', ')}`,
    ],
  ].filter(([, value]) => value !== '');
  return table(['[List query](lists.md)', ''], rows);
}

/** The statusCodes that an endpoint adds to those of every endpoint. */
function refusals({ surface }: SurfaceRoutes, { reasons, operation }: Endpoint): string {
  const byCode = new Map<number, Reason[]>();
  for (const reason of reasons) {
    const statusCode = statusCodeOf(reason, surface, operation);
    byCode.set(statusCode, [...(byCode.get(statusCode) ?? []), reason]);
  }
  const terms = [...byCode]
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
    .map(([statusCode, named]) => `${statusCode} ${named.map(code).join(', ')}`);
  return `Further [refusals](errors.md): ${terms.join('; ')}.`;
}

function section(title: string, routes: SurfaceRoutes, endpoint: Endpoint): string[] {
  const { params, query, body, list, reasons, answer, bare, idempotency, guessLimit } = endpoint;
  return [
    `### ${headingOf(title, endpoint)}`,
    `${endpoint.description} Access: ${ACCESS[endpoint.access]}${scopeName(endpoint)}.` +
      (idempotency ? KEYS[idempotency] : '') +
      (guessLimit ? GUESSES[guessLimit] : ''),
    ...(params ? [fieldTable('Part of the path', params)] : []),
    ...(body ? [fieldTable('Field of the body', body)] : []),
    ...(list ? [listTable(list)] : query ? [fieldTable('Parameter of the query', query)] : []),
    ...(reasons.length > 0 ? [refusals(routes, endpoint)] : []),
    `${bare ? 'Answer, without the envelope' : '`data` of the answer'}:`,
    `\`\`\`\n${shapeOf(answer)}\n\`\`\``,
  ];
}

/** docs/reference/endpoints.md, from the endpoint objects that the routes are made of. */
export const endpointsPage = (): string =>
  page(
    GENERATED,
    '# Endpoints',
    'The endpoints are in `src/partner/`, `src/merchant/`, `src/http/` and `src/callbacks/`, in the file of ' +
      'their subject; `routes.ts` there is the table of them. [Errors](errors.md) explains the refusals.',
    'Both APIs answer with the envelope `{ success, message, statusCode, data }`, lists with `meta` and ' +
      '`links` too; log-in and the test endpoints answer without it. All calls but the log-in need the ' +
      'header `x-api-token: TOKEN` or `Authorization: Bearer TOKEN` ([access](access.md)); *signature* ' +
      'means the header `x-signature` over the body ([signatures](signatures.md)). Partners may send ' +
      '`Idempotency-Key`, merchants send `idempotencyKey` ([idempotency](idempotency.md)).',
    '## The way of a request',
    'Every request passes these guards in this order. The first guard that refuses a request ends it. ' +
      'The source is `src/http/pipeline.ts`.',
    way(),
    ...SURFACES.flatMap(([title, routes]) => [
      `## ${title}, below ${code(routes.basePath)}`,
      overview(title, routes.endpoints),
      ...routes.endpoints.flatMap((endpoint) => section(title, routes, endpoint)),
    ]),
  );
