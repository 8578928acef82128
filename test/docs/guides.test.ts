import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { errorsPage, indexPath, operationAddress } from '../../src/docs-site/pages/reference.ts';
import { reasons } from '../../src/domain/reasons.ts';
import {
  httpStatusOf,
  type Reason,
  type ReasonRow,
  type Surface,
} from '../../src/domain/refusals.ts';
import { codeAnchor, reasonAnchor } from '../../src/http/envelope.ts';
import { REVOKED_KEY, signatureMistakes } from '../../src/http/signature/diagnose-signature.ts';
import { verifySignature } from '../../src/http/signature/verify-signature.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { errorCodesOf } from '../../src/openapi/refusals.ts';
import { portalSite } from '../../src/pages/portal/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { codeBlocks, guide, guides } from './guides.ts';

const rows: readonly ReasonRow[] = Object.values(reasons);

const codesOf = (row: ReasonRow, surface: Surface): number[] =>
  [row.everywhere, ...Object.values(row[surface] ?? {})].filter((code) => code !== undefined);

const surfaces = [partnerRoutes, merchantRoutes];

/** The addresses of the site that guides link to. */
const addresses = new Set([
  ...['/docs/errors', '/docs/downloads', '/docs/changelog'],
  ...surfaces.flatMap(({ surface, endpoints }) => [
    `/docs${indexPath(surface)}`,
    `/docs/${surface}/openapi.json`,
    ...endpoints.map((endpoint) => operationAddress(surface, endpoint)),
    ...(Object.keys(reasons) as Reason[])
      .flatMap((reason) =>
        codesOf(reasons[reason], surface).flatMap((code) => [
          codeAnchor(surface, code),
          reasonAnchor(surface, code, reason),
        ]),
      )
      .map((anchor) => `/docs/errors#${anchor}`),
  ]),
  ...portalSite.pages.filter(({ method }) => method === 'GET').map(({ path }) => `/portal${path}`),
  ...['keys', 'addresses', 'public-keys'].map((part) => `/portal/access#${part}`),
]);

const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, link = '']) => link);

test.each([...guides])('every address of the site in %s is there', (_name, text) => {
  expect(linksOf(text).filter((link) => !addresses.has(link))).toEqual([]);
});

test.each(surfaces)(
  'the page of errors has the anchors of each code of $surface',
  async (routes) => {
    const page = (await errorsPage(surfaces).write()).content.toString();
    const anchors = errorCodesOf(routes).flatMap(({ statusCode, meanings }) => [
      codeAnchor(routes.surface, statusCode),
      ...meanings.map(({ reason }) => reasonAnchor(routes.surface, statusCode, reason)),
    ]);
    expect(anchors.length).toBeGreaterThan(50);
    expect(anchors.filter((anchor) => !page.includes(` id="${anchor}"`))).toEqual([]);
  },
);

test('guides link to the site', () => {
  expect([...guides.values()].flatMap(linksOf).length).toBeGreaterThan(40);
});

test.each([...guides])('%s begins with its title and one sentence', (_name, text) => {
  expect(text).toMatch(/^# [A-Z].{5,50}\n\n[^\n#|`-][^.]*\.\n\n/);
});

test.each([...guides])('every refusal in %s is one that the service answers', (_name, text) => {
  for (const code of codeBlocks(text, 'json')) {
    const answer = JSON.parse(code);
    if (answer.success !== false) continue;
    const isAnswer = rows.some(
      (row) =>
        answer.message.startsWith(row.message) &&
        surfaces.some(({ surface }) => codesOf(row, surface).includes(answer.statusCode)),
    );
    expect(isAnswer, code).toBe(true);
    expect(httpStatusOf(answer.statusCode)).toBeGreaterThanOrEqual(400);
  }
});

/** What stands in quotation marks in the text, without its code. */
const quotesIn = (text: string): string[] =>
  [
    ...text
      .replaceAll(/^( *)```[\s\S]*?^\1```/gm, '')
      .replaceAll(/`[^`]*`/g, '')
      .matchAll(/"([^"]+)"/g),
  ]
    .map(([, quote = '']) => quote.replaceAll(/\s+/g, ' '))
    .filter((quote) => /^[A-Z].{12}/.test(quote));

test.each([...guides])('every message that %s quotes is one of a refusal', (_name, text) => {
  const isMessage = (quote: string) => rows.some(({ message }) => message.startsWith(quote));
  expect(quotesIn(text).filter((quote) => !isMessage(quote))).toEqual([]);
});

test('guides quote messages', () => {
  expect([...guides.values()].flatMap(quotesIn).length).toBeGreaterThan(10);
});

/** Whether data is exactly what an endpoint may answer. */
const isAnswerOf = ({ answer }: { readonly answer: ZodType }, data: unknown): boolean => {
  const parsed = answer.safeParse(data);
  return parsed.success && isDeepStrictEqual(parsed.data, data);
};

/** Whether an endpoint takes it, with each of its fields. */
const isRequest = (body: object): boolean =>
  surfaces
    .flatMap((surface) => surface.endpoints)
    .some((endpoint) => {
      const { success = false, data } = endpoint.body?.safeParse(body) ?? {};
      return success && Object.keys(body).every((field) => field in (data as object));
    });

test.each([...guides])(
  'every answer or request in %s has the fields of an endpoint',
  (_name, text) => {
    for (const code of codeBlocks(text, 'json')) {
      const answer = JSON.parse(code);
      if (answer.success === false || isRequest(answer)) continue;
      const data = 'data' in answer ? answer.data : answer;
      const endpoints = surfaces.flatMap((surface) => surface.endpoints);
      expect(
        endpoints.some((endpoint) => isAnswerOf(endpoint, data)),
        code,
      ).toBe(true);
    }
  },
);

/** Requests that fail at each check of a signature. */
const badSignatures: readonly Partial<Parameters<typeof verifySignature>[0]>[] = [
  { header: undefined },
  { header: 'A'.repeat(2_000) },
  { header: 'MEUCIQ==' },
  { header: 'MEUCIQ==\\n' },
  { header: 'MEUCIQ==\\nmessage' },
  { header: `${'1'.repeat(128)}\\n2020-01-01T00:00:00Z` },
  { header: `${'1'.repeat(128)}\\nmessage` },
];

test.each(badSignatures)('the guide explains the refusal of %o', (request) => {
  const check = verifySignature({
    header: undefined,
    body: Buffer.from('{}'),
    publicKeys: [],
    now: Date.now(),
    ...request,
  });
  if (check.ok) throw new Error('The signature was accepted');
  expect(guide('sign-requests.md')).toContain(`| ${check.reason} |`);
});

const explanations = [REVOKED_KEY, ...signatureMistakes.map(({ explanation }) => explanation)];

test.each(explanations)('the guide lists the mistake: %s', (explanation) => {
  expect(guide('sign-requests.md')).toContain(`| ${explanation} |`);
});
