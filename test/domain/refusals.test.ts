import { describe, expect, it, test } from 'vitest';
import { reasons } from '../../src/domain/reasons.ts';
import {
  httpStatusOf,
  isFinal,
  messageOf,
  type Operation,
  type Reason,
  type ReasonRow,
  refuse,
  remedyOf,
  type Surface,
  statusCodeOf,
} from '../../src/domain/refusals.ts';
import { priceTopup, type TopupKind } from '../../src/domain/topup.ts';
import { type ClaimFacts, refuseClaim } from '../../src/domain/vouchers/claim.ts';
import { type RedemptionFacts, settleOrRefuse } from '../../src/domain/vouchers/redemption.ts';
import {
  type Company,
  refuseCancellation,
  type VoucherStatus,
  voucherMoves,
} from '../../src/domain/vouchers/voucher.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { guards } from '../../src/http/pipeline.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { codesBeyondTheTables, specifiedErrors } from '../end-to-end/bad-input/specified-errors.ts';

const rows = Object.entries<ReasonRow>(reasons) as [Reason, ReasonRow][];
const surfaces = [partnerRoutes, merchantRoutes];

const endpoints = surfaces.flatMap(({ surface, endpoints }) =>
  endpoints.map((endpoint) => ({
    surface,
    endpoint,
    name: `${surface} ${endpoint.method} ${endpoint.path}`,
  })),
);

const endpointOf = (surface: Surface, operation: Operation): Endpoint => {
  const found = endpoints.find(
    (one) => one.surface === surface && one.endpoint.operation === operation,
  );
  if (!found) throw new Error(`No endpoint for ${operation} on the ${surface} surface`);
  return found.endpoint;
};

/** The code of a reason, undefined where only the last resort of 500 would be left. */
const codeOf = (reason: Reason, surface: Surface, operation: Operation): number | undefined => {
  const row: ReasonRow = reasons[reason];
  return row[surface]?.[operation] ?? row.everywhere;
};

describe('the table of reasons and the tables 7.2 and 7.3 of the specification', () => {
  it.each(
    specifiedErrors.map(
      (row) => [row.surface, row.operation, row.statusCode, row.meaning, row] as const,
    ),
  )('%s %s: %i, %s', (surface, operation, statusCode, _meaning, { reason }) => {
    expect(statusCodeOf(reason, surface, operation)).toBe(statusCode);
  });

  it.each(['initiate-claim', 'redeem-gift', 'voucher-detail'] as const)(
    'have no other four-digit codes for %s of the merchant API than the design adds',
    (operation) => {
      const ours = rows.flatMap(([, { merchant }]) => merchant?.[operation] ?? []);
      const allowed = [
        ...specifiedErrors
          .filter((row) => row.surface === 'merchant' && row.operation === operation)
          .map(({ statusCode }) => statusCode),
        ...codesBeyondTheTables[operation],
      ];
      expect(distinct(ours)).toEqual(distinct(allowed));
    },
  );

  it('give one meaning to one code of the merchant API', () => {
    const shared = new Map<number, Set<Reason>>();
    for (const [reason, { merchant = {} }] of rows)
      for (const code of Object.values(merchant))
        shared.set(code, (shared.get(code) ?? new Set()).add(reason));
    const several = [...shared].filter(([, named]) => named.size > 1);
    expect(several.map(([code, named]) => [code, [...named]])).toEqual([
      [4092, ['redemption-in-progress', 'still-processing']],
      [4035, ['verification-code-incorrect', 'msisdn-not-owner']],
      [5031, ['payout-account-missing', 'payment-refused']],
    ]);
  });

  it('are kept by a key where a guess was counted, or something was held or sent', () => {
    const final = rows.map(([reason]) => reason).filter((reason) => isFinal(refuse(reason)));
    expect(final).toEqual([
      ...['topup-failed', 'topup-delivered-since', 'topup-retried-since'],
      ...['voucher-restricted', 'verification-code-incorrect'],
      ...['payment-refused', 'reversal-refused'],
    ]);
  });

  it('have a sentence for people in every row, and no code but of an error', () => {
    for (const [reason, { message, everywhere, partner = {}, merchant = {} }] of rows) {
      expect(message, reason).toMatch(/^[A-Z].{10,}[A-Za-z)]$/);
      for (const code of [everywhere, ...Object.values(partner), ...Object.values(merchant)])
        if (code !== undefined) expect(httpStatusOf(code), reason).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('the endpoints', () => {
  it.each(endpoints.map(({ name, ...rest }) => [name, rest] as const))(
    '%s declares only what has a code of its own',
    (_name, { surface, endpoint }) => {
      const without = endpoint.reasons.filter(
        (reason) => codeOf(reason, surface, endpoint.operation) === undefined,
      );
      expect(without).toEqual([]);
      expect(distinct(endpoint.reasons)).toHaveLength(endpoint.reasons.length);
    },
  );

  it.each(endpoints.map(({ name, ...rest }) => [name, rest] as const))(
    '%s declares every reason that the table has a code for',
    (_name, { surface, endpoint }) => {
      const columns = endpoints.filter(
        (one) => one.surface === surface && one.endpoint.operation === endpoint.operation,
      );
      // Several lists share the column "list", whose one reason is about pages.
      const expected = columns.length > 1 ? [] : reasonsOfColumn(surface, endpoint.operation);
      expect(expected.filter((reason) => !endpoint.reasons.includes(reason))).toEqual([]);
    },
  );
});

it('has no reason that neither a guard, an endpoint nor the server itself refuses a request for', () => {
  const declared: Reason[] = [
    ...guardReasons,
    ...endpoints.flatMap(({ endpoint }) => endpoint.reasons),
    ...SERVER_REASONS,
  ];
  const all = rows.map(([reason]) => reason);
  expect(all.filter((reason) => !declared.includes(reason))).toEqual([]);
});

/** Of the guards that stand before every endpoint. */
const guardReasons: Reason[] = guards.flatMap((guard) => guard.reasons);

/** Those of the server and of the error reply: what is no request, what has no route, and faults. */
const SERVER_REASONS: Reason[] = [
  'http-malformed',
  'request-too-slow',
  'expectation-unsupported',
  'headers-too-large',
  'route-not-found',
  'method-not-allowed',
  'unavailable',
  'internal-error',
];

const reasonsOfColumn = (surface: Surface, operation: Operation): Reason[] =>
  rows.filter(([, row]) => row[surface]?.[operation] !== undefined).map(([reason]) => reason);

const statuses = Object.keys(voucherMoves) as VoucherStatus[];
const either = [true, false];
const partner: Company = { kind: 'partner', id: 1 };
const merchant: Company = { kind: 'merchant', id: 1 };

/** Every combination of one value of each list. */
function combinations<Lists extends Record<string, readonly unknown[]>>(
  lists: Lists,
): { [Key in keyof Lists]: Lists[Key][number] }[] {
  return Object.entries(lists).reduce<Record<string, unknown>[]>(
    (found, [key, values]) =>
      found.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  ) as { [Key in keyof Lists]: Lists[Key][number] }[];
}

const voucherFacts = combinations({
  partnerId: [1, 2],
  merchantId: [1, 2],
  isRestricted: either,
  status: statuses,
  isPastExpiry: either,
  isAnonymous: either,
  remaining: [0n, 100_000_000n],
});

const amountLimits = { redemptionMinimum: 5_000_000n, partialRedemptionsPerVoucher: 20 };

/** Amounts, and what is asked about them. */
const amounts = [
  { amount: undefined, partialRedemptions: 20, canPay: () => true },
  { amount: 100_000_001n, partialRedemptions: 0, canPay: () => true },
  { amount: 4_990_000n, partialRedemptions: 0, canPay: () => true },
  { amount: 5_000_000n, partialRedemptions: 20, canPay: () => true },
  { amount: undefined, partialRedemptions: 0, canPay: () => false },
];

const none = { count: 0, retryAfterSeconds: 0 };

/** Of the whole balance, by a partner. */
const claim = {
  amount: undefined,
  wasWhole: false,
  feePercent: null,
  codeDigest: 'right',
  codeDigits: 6,
} as const;

const noMessages = {
  isBlocked: false,
  secondsUntilNextMessage: 0,
  messagesToday: none,
  refusedMessages: none,
  companyMessages: { ...none, budget: 9 },
};

/** Every reason by which a claim of this company can be refused. */
function claimRefusals(company: Company): Reason[] {
  const found = new Set<Reason>();
  const merchants: ClaimFacts['merchant'][] = [
    ...(company.kind === 'partner' ? [null] : []),
    { isActive: true, feePercent: '2.5', hasPayoutAccount: true },
    { isActive: true, feePercent: null, hasPayoutAccount: true },
    { isActive: true, feePercent: '2.5', hasPayoutAccount: false },
    { isActive: false, feePercent: '2.5', hasPayoutAccount: true },
  ];
  const around = combinations({
    isAdmitted: [true],
    partnerIsActive: either,
    merchant: merchants,
    wrongCodes: [none, { count: 5, retryAfterSeconds: 9 }],
    messages: [
      {},
      { secondsUntilNextMessage: 9 },
      { messagesToday: { count: 20, retryAfterSeconds: 9 } },
      { refusedMessages: { count: 5, retryAfterSeconds: 9 } },
      { companyMessages: { count: 9, retryAfterSeconds: 9, budget: 9 } },
    ],
    parts: amounts,
  });
  for (const voucher of voucherFacts)
    for (const { messages, parts, ...facts } of around) {
      const limits = {
        ...amountLimits,
        messagesPerNumberAndDay: 20,
        refusedMessagesPerNumberAndHour: 5,
      };
      const refusal = refuseClaim(
        { voucher, ...facts, ...noMessages, ...messages, ...parts },
        { company, amount: parts.amount },
        limits,
      );
      if (refusal) found.add(refusal.reason);
    }
  return [...found];
}

/** Every reason by which a redemption of this company can be refused before anything is held. */
function redemptionRefusals(company: Company): Reason[] {
  const found = new Set<Reason>();
  const payees: RedemptionFacts['merchant'][] = [
    null,
    { isActive: true, feePercent: '2.5', hasPayoutAccount: true },
    { isActive: true, feePercent: '100', hasPayoutAccount: true },
    { isActive: true, feePercent: null, hasPayoutAccount: true },
    { isActive: true, feePercent: '2.5', hasPayoutAccount: false },
    { isActive: false, feePercent: '2.5', hasPayoutAccount: true },
  ];
  const around = combinations({
    isAdmitted: [true],
    partnerIsActive: either,
    merchant: payees,
    parts: amounts,
    codes: [
      { codeDigest: undefined, claim },
      { codeDigest: 'right', claim: null },
      { codeDigest: 'right', claim, wrongCodes: { count: 5, retryAfterSeconds: 9, ofVoucher: 5 } },
      { codeDigest: 'right', claim, wrongCodes: { ...none, ofVoucher: 20 } },
      { codeDigest: 'wrong', claim },
      { codeDigest: 'right', claim },
    ],
  });
  for (const { isAnonymous, ...voucher } of voucherFacts)
    for (const { codes, parts, ...facts } of around) {
      const { codeDigest, ...known } = { wrongCodes: { ...none, ofVoucher: 0 }, ...codes };
      // Of an anonymous voucher no code is asked for, but who is told of the redemption.
      const msisdn = isAnonymous && codeDigest === 'wrong' ? '+254712345678' : undefined;
      const result = settleOrRefuse(
        {
          ...facts,
          ...known,
          ...parts,
          isBlocked: false,
          voucher: { ...voucher, ownerMsisdn: isAnonymous ? null : '+251911000050' },
        },
        { company, merchantId: 1, amount: parts.amount, codeDigest, msisdn },
        {
          ...amountLimits,
          codeAttemptsBeforeLongCodes: 20,
          servedCountries: ['ET'],
        },
      );
      if (!result.ok) found.add(result.reason);
    }
  return [...found];
}

/** Every reason that the checks of a top-up can answer. */
function topupRefusals(kind: TopupKind): Reason[] {
  const found = new Set<Reason>();
  const products = combinations({
    // Airtime is of every operator.
    operator:
      kind === 'AIRTIME' ? [null] : ([null, 'ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'] as const),
    price: [null, 100_000_000n],
    providerProductId: [null, 7],
  });
  const all = combinations({
    isAdmitted: either,
    companyIsActive: either,
    product: [null, ...products],
    requestedAmount: [1n, 100_000_000n],
    operator: [undefined, 'ETHIO_TELECOM'] as const,
    walletBalance: [0n, 100_000_000n],
    canCarry: either.map((can) => () => can),
  });
  const range = { minimum: 5_000_000n, maximum: 1_000_000_000n };
  for (const facts of all) {
    const terms = priceTopup(
      { ...facts, kind },
      { ETHIO_TELECOM: range, SAFARICOM_ETHIOPIA: range },
    );
    if (!terms.ok) found.add(terms.reason);
  }
  return [...found];
}

/** Every reason by which a cancellation can be refused. */
const cancellationRefusals = (): Reason[] => [
  ...new Set(
    combinations({ status: [undefined, ...statuses], isBlocked: either }).flatMap(
      (facts) => refuseCancellation(facts)?.reason ?? [],
    ),
  ),
];

/** What the transactions of an operation can end with besides the ladder. */
const writes = {
  'cancel-voucher': ['reserve-not-updated', 'database-failed'],
  'airtime-topup': ['database-failed'],
  'airtime-package-topup': ['database-failed'],
  'retry-topup': ['database-failed'],
  'initiate-claim': ['status-not-updated', 'message-not-queued', 'database-failed'],
  'redeem-gift': [
    'status-not-updated',
    'reserve-not-updated',
    'redemption-not-recorded',
    'message-not-queued',
    'database-failed',
    'payment-refused',
  ],
} as const satisfies Partial<Record<Operation, readonly Reason[]>>;

describe('what the ladders can answer', () => {
  test.each([
    ['partner', 'initiate-claim', () => claimRefusals(partner)],
    ['merchant', 'initiate-claim', () => claimRefusals(merchant)],
    ['partner', 'redeem-gift', () => redemptionRefusals(partner)],
    ['merchant', 'redeem-gift', () => redemptionRefusals(merchant)],
    ['partner', 'cancel-voucher', cancellationRefusals],
    ['partner', 'airtime-topup', () => topupRefusals('AIRTIME')],
    ['partner', 'airtime-package-topup', () => topupRefusals('PACKAGE')],
    ['partner', 'retry-topup', () => [...topupRefusals('AIRTIME'), ...topupRefusals('PACKAGE')]],
  ] as const)(
    '%s %s: each has a code of its own and is declared',
    (surface, operation, refusals) => {
      const possible: Reason[] = [...refusals(), ...writes[operation]];
      expect(possible.length).toBeGreaterThan(5);
      expect(possible.filter((reason) => !codeOf(reason, surface, operation))).toEqual([]);
      const declared = [...endpointOf(surface, operation).reasons, ...guardReasons];
      expect(possible.filter((reason) => !declared.includes(reason))).toEqual([]);
    },
  );
});

describe('a refusal', () => {
  it('is answered 500 where nothing else is left', () => {
    expect(statusCodeOf('price-not-defined', 'merchant', 'redeem-gift')).toBe(500);
    expect(statusCodeOf('price-not-defined', 'partner')).toBe(500);
  });

  it.each([
    [4032, 403],
    [4091, 409],
    [5031, 503],
    [405, 405],
    [999, 999],
  ])('with the code %i has the HTTP status %i', (statusCode, status) => {
    expect(httpStatusOf(statusCode)).toBe(status);
  });

  it.each([
    [/log in again/, /^Log in again/],
    [/contact support(, then repeat)?$/, /^Contact support|^Nothing/],
    [/^The transfer to the merchant failed$/, /new claim/],
  ])('whose message matches %s has the remedy %s', (message, remedy) => {
    const found = (Object.keys(reasons) as Reason[]).filter((one) =>
      message.test(reasons[one].message),
    );
    expect(found).not.toEqual([]);
    for (const reason of found) expect(remedyOf(reason)).toMatch(remedy);
  });

  it('says what is particular about its case after the words of its row', () => {
    const { message } = reasons['payment-refused'];
    expect(messageOf('payment-refused')).toBe(message);
    expect(messageOf('payment-refused', 'declined')).toBe(`${message}: declined`);
    expect(refuse('message-too-soon', { retryAfterSeconds: 9 })).toEqual({
      ok: false,
      reason: 'message-too-soon',
      retryAfterSeconds: 9,
    });
  });
});

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)].sort();
