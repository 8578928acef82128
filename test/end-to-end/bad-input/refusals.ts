import { expect, test } from 'vitest';
import {
  httpStatusOf,
  messageOf,
  type Operation,
  type Reason,
  type Surface,
} from '../../../src/domain/refusals.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { type Answer, refusalData } from '../../support/clients.ts';
import type { GiftScene } from '../gift/gift-scene.ts';
import { type Proof, type SpecifiedError, specifiedErrors } from './specified-errors.ts';

/** One refusal through HTTP. */
export interface RefusalCase {
  readonly operation: Operation;
  readonly reason: Reason;
  /** Only of what the specification's tables do not list. */
  readonly statusCode?: number;
  /** Tells cases of one reason apart. */
  readonly when?: string;
  /** What the message must hold besides the reason's own words. */
  readonly says?: string | RegExp;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** What a partner's `data` has besides the reason: nothing, but for the issues of an invalid request. */
  readonly data?: object;
  /** Prepares everything; what it returns sends the request that is refused. */
  arrange(): Promise<() => Promise<Answer>>;
}

const endpoints = {
  partner: partnerRoutes.endpoints,
  merchant: merchantRoutes.endpoints,
} as const satisfies Record<Surface, unknown>;

/** The row of the specification's tables that a refusal is, undefined where it is none. */
export const specified = (
  surface: Surface,
  { operation, reason }: Pick<RefusalCase, 'operation' | 'reason'>,
) =>
  specifiedErrors.find(
    (row) => row.surface === surface && row.operation === operation && row.reason === reason,
  );

/** The register: every row of the specification's tables that is proven here was reached. */
export const testRegister = (
  surface: Surface,
  provenBy: Proof,
  reached: ReadonlySet<SpecifiedError>,
) =>
  test(`every row of the specification that is proven here was reached on the ${surface} API`, () => {
    const rows = specifiedErrors.filter(
      (row) => row.surface === surface && row.provenBy === provenBy,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !reached.has(row))).toEqual([]);
  });

/**
 * A test per case: the status, the envelope, and that no money and no voucher moved. The last test
 * is the register.
 */
export function testRefusals(
  surface: Surface,
  scene: () => GiftScene,
  cases: readonly RefusalCase[],
  provenBy: Proof = 'gifts',
): void {
  const reached = new Set<SpecifiedError>();

  test.each(
    cases.map(
      (one) => [`${one.operation}: ${one.reason}${one.when ? `, ${one.when}` : ''}`, one] as const,
    ),
  )('%s', async (_title, one) => {
    const row = specified(surface, one);
    const statusCode = row?.statusCode ?? one.statusCode ?? Number.NaN;
    const act = await one.arrange();
    const before = await scene().holdings();
    const answer = await act();
    expectRefusal(answer, surface, statusCode, one);
    expect(await scene().holdings()).toEqual(before);
    expectDeclared(surface, one);
    if (row) reached.add(row);
  });

  testRegister(surface, provenBy, reached);
}

/** The envelope of a refusal (specification 7.1). */
export function expectRefusal(
  answer: Answer,
  surface: Surface,
  statusCode: number,
  expected: Pick<RefusalCase, 'reason' | 'says' | 'headers' | 'data'>,
): void {
  const { body } = answer;
  const seen = { status: answer.status, success: body.success, statusCode: body.statusCode };
  expect(seen, body.message).toEqual({
    status: httpStatusOf(statusCode),
    success: false,
    statusCode,
  });
  expect(Object.keys(body).sort()).toEqual(['data', 'message', 'statusCode', 'success']);
  expectPresentable(answer);
  expect(body.message).toContain(messageOf(expected.reason));
  if (expected.says) expect(body.message).toMatch(expected.says);
  for (const [name, value] of Object.entries(expected.headers ?? {}))
    expect(answer.headers.get(name)).toMatch(value);
  expect(answer.headers.get('x-error-reason')).toBe(expected.reason);
  const anchor = `#${surface}-${statusCode}-${expected.reason}>`;
  expect(answer.headers.get('Link')).toContain(anchor);
  // The issues of fields are looked at where they are the subject.
  const issues = body.data?.issues;
  const further = expected.data ?? (issues ? { issues } : {});
  expect(body.data).toEqual(refusalData(surface, expected.reason, further));
}

/** No answer holds a stack trace or anything of our insides. */
function expectPresentable({ body, headers }: Answer): void {
  expect(headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(headers.get('X-Powered-By')).toBeNull();
  expect(JSON.stringify(body)).not.toMatch(INSIDES);
  expect(body.message).toMatch(/\w{4,}/);
}

const INSIDES = /node_modules|\.[jt]s:\d|\bat \S+ \(|Error:|select |insert |constraint|workflow/i;

/** Nor a secret of its caller's. */
export function expectHarmless(answer: Answer, scene: GiftScene): void {
  expectPresentable(answer);
  const text = JSON.stringify(answer.body);
  for (const secret of [scene.partner.apiKey, scene.asPartner.token, scene.asMerchant.token])
    expect(text).not.toContain(secret);
}

/** What an endpoint answers stands in its description too. */
export function expectDeclared(
  surface: Surface,
  { operation, reason }: Pick<RefusalCase, 'operation' | 'reason'>,
): void {
  const declared = endpoints[surface]
    .filter((endpoint) => endpoint.operation === operation)
    .flatMap((endpoint) => endpoint.reasons);
  expect(declared).toContain(reason);
}
