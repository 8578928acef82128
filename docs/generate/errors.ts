import { reasons } from '../../src/domain/reasons.ts';
import {
  httpStatusOf,
  messageOf,
  type Reason,
  remedyOf,
  type Surface,
  statusCodeOf,
} from '../../src/domain/refusals.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { guards } from '../../src/http/pipeline.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { code, GENERATED, page, table } from './markdown.ts';

const EVERY_ENDPOINT = 'every endpoint';
const SIGNED = 'signed endpoints';

/** The endpoints that answer a reason of a guard, or a reason that no endpoint declares. */
function answeredBefore(reason: Reason): string | undefined {
  const guard = guards.find(({ reasons: refused }) => refused.includes(reason));
  if (guard) return guard.ofSigned ? SIGNED : EVERY_ENDPOINT;
  const isDeclared = [...partnerRoutes.endpoints, ...merchantRoutes.endpoints].some((endpoint) =>
    endpoint.reasons.includes(reason),
  );
  return isDeclared ? undefined : EVERY_ENDPOINT;
}

interface ErrorRow {
  readonly statusCode: number;
  readonly reason: Reason;
  readonly endpoints: readonly string[];
}

const nameOf = ({ path }: Endpoint): string => code(path.split('/').at(-1) ?? path);

/** Each statusCode of a surface with its reason, and the endpoints that answer it. */
function errorsOf(surface: Surface, endpoints: readonly Endpoint[]): ErrorRow[] {
  const found = new Map<string, ErrorRow>();
  for (const reason of Object.keys(reasons) as Reason[]) {
    const before = answeredBefore(reason);
    if (before !== undefined) {
      const statusCode = statusCodeOf(reason, surface);
      if (before === EVERY_ENDPOINT || endpoints.some(({ access }) => access === 'signed'))
        found.set(reason, { statusCode, reason, endpoints: [before] });
      continue;
    }
    for (const endpoint of endpoints.filter((one) => one.reasons.includes(reason))) {
      const statusCode = statusCodeOf(reason, surface, endpoint.operation);
      const key = `${reason} ${statusCode}`;
      const others = found.get(key)?.endpoints ?? [];
      const named = [...new Set([...others, nameOf(endpoint)])];
      found.set(key, { statusCode, reason, endpoints: named });
    }
  }
  // 4041 belongs between 404 and 405.
  const orderOf = ({ statusCode }: ErrorRow) => statusCode.toString();
  return [...found.values()].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

const errorTable = (surface: Surface, endpoints: readonly Endpoint[]): string =>
  table(
    ['statusCode', 'HTTP', 'Message', 'What to do', 'Answered by', 'Reason'],
    errorsOf(surface, endpoints).map(({ statusCode, reason, endpoints: named }) => [
      code(String(statusCode)),
      String(httpStatusOf(statusCode)),
      messageOf(reason),
      remedyOf(reason),
      named.join(', '),
      code(reason),
    ]),
  );

/** docs/reference/errors.md, from the table of reasons and the reasons that endpoints declare. */
export const errorsPage = (): string =>
  page(
    GENERATED,
    '# Errors',
    'A refusal has the envelope `{ success: false, message, statusCode, data }`. Its `message` begins ' +
      'with the sentence of the table; details of the case follow. The partner API answers ' +
      '`statusCode` as the HTTP status, the merchant API its first three digits (4032 → 403).',
    'The source is `src/domain/reasons.ts`: one row for each reason, in the order of the checks. The ' +
      'column *Reason* is its name there, in the header `x-error-reason`, in `data.reason` of partners, ' +
      'in the log, and in recorded calls.',
    'The answer to an invalid request names its fields: partners get `data.issues`, at most 20; merchants get ' +
      '`data: null` and the fields in the message. An answer with 405 has the header `Allow`. Answers with 429 ' +
      'and 503 have `Retry-After` where the service knows a time.',
    '## Merchant API',
    errorTable('merchant', merchantRoutes.endpoints),
    '## Partner API',
    errorTable('partner', partnerRoutes.endpoints),
  );
