import type { Database } from '../../db/connection.ts';
import { type LedgerTransfer, operationsOf, readLedgerHistory } from '../../db/ledger/ledger.ts';
import { type Case, closedCasesOf } from '../../db/positions/cases.ts';
import { topupFactsForRepair } from '../../db/repairs/facts.ts';
import { listRepairs, type ShownRepair } from '../../db/repairs/repair-lists.ts';
import { findTopupDetail, type TopupDetail } from '../../db/topups/topups.ts';
import { findVoucherDetail, type VoucherDetail } from '../../db/vouchers/vouchers.ts';
import { parseMoney } from '../../domain/money.ts';
import { maskStored } from '../../domain/phone.ts';
import { airtimeProviderNames, isRoutedTo } from '../../domain/providers.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import { caseFacts, happenedIn } from '../../repairs/payment-repairs.ts';
import { usd } from '../layout/company-parts.ts';
import { productOf, topupBadge, voucherBadge } from '../layout/labels.ts';
import { badge, type Happening, message, money, postForm, time } from '../layout/parts.ts';
import { happeningsOf } from '../layout/voucher-story.ts';
import type { StaffRequest } from '../page.ts';
import type { NextStep } from './next-steps.ts';
import { namesOthers, nextStepOfTopup } from './next-steps-of-topups.ts';
import { nextStepOfVoucher } from './next-steps-of-vouchers.ts';
import { companyOfCase, pricePath, type SupportCaseName } from './repair-parts.ts';
import { happeningsOfProviders, happeningsOfRepairs, happeningsOfTopup } from './stories.ts';

/** Everything that support needs to know of one voucher or one top-up. */
export interface SupportCase extends SupportCaseName {
  /** The serial number, or the transactionId. */
  readonly name: string;
  readonly state: Html;
  /** The merchant or the number, and the value: enough to compare with the customer. */
  readonly brief: Html;
  readonly facts: Readonly<Record<string, HtmlValue>>;
  /** Whether there is a number that can be shown. */
  readonly hasNumber: boolean;
  readonly happenings: readonly Happening[];
  readonly next: NextStep;
  /** Of a top-up that is retried now or later: the providers that a route leads to besides the last one. */
  readonly otherProviders: readonly string[];
  readonly closedCases: readonly Case[];
  /** Those that have not ended. */
  readonly openRepairs: readonly ShownRepair[];
  readonly transfers: readonly LedgerTransfer[];
  /** Its row and its history as the database has them: its numbers are sealed. */
  readonly record: VoucherDetail | TopupDetail;
}

/** Of a case; more there are hardly ever. */
const NEWEST_REPAIRS = 20;

async function readVoucherCase(database: Database, id: number): Promise<SupportCase | undefined> {
  const voucher = await findVoucherDetail(database, id, 'operator');
  if (!voucher) return undefined;
  const { ownerMsisdn, isRestricted, partner } = voucher;
  const repairs = await listRepairs(database, { voucherId: id, limit: NEWEST_REPAIRS });
  const closedCases = await closedCasesOf(database, { kind: 'voucher', id });
  const newest = voucher.redemptions.at(-1);
  const open = voucher.claims.findLast(({ status }) => status === 'OPEN');
  // The voucher waits on until the claim's workflow or the expiry run has ended it.
  const isClaimOver =
    voucher.status === 'REDEEM_INITIATED' &&
    open !== undefined &&
    new Date(open.expiresAt) < new Date();
  const redeemableAt = html`${isRestricted && 'only '}at ${voucher.merchantName}${
    !isRestricted && ', or at another merchant'
  }`;
  const owner = ownerMsisdn === null ? 'Anonymous' : maskStored(ownerMsisdn);
  return {
    kind: 'voucher',
    id,
    name: voucher.serialNumber,
    state: isClaimOver ? badge('warning', 'Claim ran out') : voucherBadge(voucher),
    brief: html`${owner} · ${money(voucher.amount)} · ${redeemableAt}`,
    facts: {
      Owner: owner,
      Amount: money(voucher.amount),
      Left: money(voucher.remaining),
      'On hold': money(voucher.held),
      'Returned to the partner': money(voucher.returned),
      'Price at the sale': html`<a href="${pricePath(voucher.partnerId, voucher.denominationId)}">USD ${usd(voucher.sellingPriceUsd)}</a>`,
      Partner: await companyOfCase(database, { kind: 'partner', id: voucher.partnerId }),
      Merchant: await companyOfCase(database, { kind: 'merchant', id: voucher.merchantId }),
      Redeemable: redeemableAt,
      Generated: time(voucher.createdAt),
      'Valid until': time(voucher.expiresAt),
      ...(voucher.status === 'REDEEM_INITIATED' &&
        open && { 'Claim open until': time(new Date(open.expiresAt)) }),
      ...(newest && { 'Our reference of the payment, to quote': newest.paymentReference }),
    },
    hasNumber: ownerMsisdn !== null,
    happenings: [
      ...happeningsOf(voucher, partner),
      ...happeningsOfProviders(voucher),
      ...happeningsOfRepairs(repairs),
    ],
    next: nextStepOfVoucher(voucher, repairs, {
      closedCases,
      openDifference: await openDifference(
        database,
        voucher.redemptions.map(({ caseId }) => caseId),
      ),
      now: new Date(),
    }),
    closedCases,
    otherProviders: [],
    openRepairs: repairs.filter(isOpen),
    transfers: await readLedgerHistory(database, voucher.partnerId, operationsOf(voucher)),
    record: voucher,
  };
}

async function readTopupCase(database: Database, id: number): Promise<SupportCase | undefined> {
  const topup = await findTopupDetail(database, 'operator', id);
  if (!topup) return undefined;
  const repairs = await listRepairs(database, { topupId: id, limit: NEWEST_REPAIRS });
  const others = await otherProviders(database, topup);
  const closedCases = await closedCasesOf(database, { kind: 'top-up', id });
  const operationIds = topup.attempts.map(({ operationId }) => operationId);
  return {
    kind: 'top-up',
    id,
    name: String(id),
    state: topupBadge(topup),
    brief: html`${maskStored(topup.msisdn)} · ${productOf(topup)}${
      topup.amount !== null && html` · ${money(topup.amount)}`
    }`,
    facts: {
      Number: maskStored(topup.msisdn),
      What: productOf(topup),
      Amount: topup.amount === null ? 'Known once it is sent' : money(topup.amount),
      Partner: await companyOfCase(database, { kind: 'partner', id: topup.partnerId }),
      Charged: topup.charged ? 'Yes' : 'No',
      'Provider’s reference': topup.providerReference ?? '–',
      Accepted: time(topup.createdAt),
      'Last change': time(topup.updatedAt),
    },
    hasNumber: true,
    happenings: [...happeningsOfTopup(topup, topup.workflowId), ...happeningsOfRepairs(repairs)],
    next: nextStepOfTopup(topup, repairs, {
      others,
      closedCases,
      now: new Date(),
      openDifference: await openDifference(database, [topup.caseId]),
    }),
    closedCases,
    otherProviders: others,
    openRepairs: repairs.filter(isOpen),
    transfers: await readLedgerHistory(database, topup.partnerId, operationIds),
    record: topup,
  };
}

/** What stands in suspense in the last of the open cases, in a sentence; undefined where nothing does. */
async function openDifference(
  database: Database,
  caseIds: readonly (number | null)[],
): Promise<string | undefined> {
  const id = caseIds.findLast((one) => one !== null);
  const facts = id == null ? undefined : await caseFacts(database, String(id));
  return facts && happenedIn(facts);
}

const isOpen = ({ result }: ShownRepair): boolean => result === null;

/** The providers besides the last one to which a route leads a retry to the same number, where a page names them. */
async function otherProviders(
  database: Database,
  { id, status, attempts }: TopupDetail,
): Promise<readonly string[]> {
  const asked = attempts.at(-1)?.provider;
  if (!namesOthers(status)) return [];
  const facts = await topupFactsForRepair(database, id);
  if (!asked || !facts) return [];
  const routed = {
    operator: facts.operator ?? undefined,
    amount: facts.amount === null ? undefined : parseMoney(facts.amount),
  };
  return airtimeProviderNames.filter(
    (name) => name !== asked && isRoutedTo(facts.routes, name, routed),
  );
}

/** A case by its kind and id; undefined where there is none. */
export const readCase = (
  database: Database,
  { kind, id }: SupportCaseName,
): Promise<SupportCase | undefined> =>
  kind === 'voucher' ? readVoucherCase(database, id) : readTopupCase(database, id);

/** The numbers that somebody asked to see. */
export interface ShownNumbers {
  /** Of the case. */
  readonly number: string;
  /** Which a repair was given. */
  readonly given?: string | undefined;
}

/** A number that somebody asked to see, and the number that a repair was given. */
export const shownNumber = ({ number, given }: ShownNumbers): Html =>
  message(
    'notice',
    html`<div>${
      given === undefined
        ? html`The number is <strong>${number}</strong>.`
        : html`The number given is <strong>${given}</strong>. That of the case is <strong>${number}</strong>.`
    } That you saw it is in the audit log.</div>`,
  );

/** The subject of a case, with the button that shows its masked number. */
export const briefWithNumber = (
  request: StaffRequest,
  { brief, hasNumber }: Pick<SupportCase, 'brief' | 'hasNumber'>,
  /** Of the page; undefined where the number is shown. */
  path: string | undefined,
): Html =>
  html`<div class="brief"><p>${brief}</p>${hasNumber && path !== undefined && formOfNumber(request, path)}</div>`;

/** The button that shows the number of the page at `path`. */
export const formOfNumber = (request: StaffRequest, path: string): Html =>
  postForm(
    request,
    `${path}/number`,
    html`<button class="plain">Show the number</button>`,
    'actions',
  );
