import { ownerOfTopup, partnerOfVoucher } from '../db/cases/case-owner.ts';
import type { Database } from '../db/connection.ts';
import {
  type LedgerTransfer,
  operationsOf,
  readLedgerHistory,
} from '../db/ledger/ledger-history.ts';
import { topupFactsForRepair } from '../db/repairs/payment-facts.ts';
import { listRepairs, type ShownRepair } from '../db/repairs/repair-lists.ts';
import { findTopupDetail, type TopupDetail } from '../db/topups/topup-detail.ts';
import { findVoucherDetail } from '../db/vouchers/voucher-detail.ts';
import { parseMoney } from '../domain/money.ts';
import { maskStored } from '../domain/phone.ts';
import { airtimeProviderNames } from '../domain/providers/provider-names.ts';
import { isRoutedTo } from '../domain/providers/routes.ts';
import type { Happening } from '../portal/layout/facts.ts';
import { money } from '../portal/layout/money.ts';
import { badge, time } from '../portal/layout/parts.ts';
import { stateBadge, voucherStates } from '../portal/layout/states.ts';
import { productOf, topupBadge } from '../portal/pages/topups/top-ups.ts';
import { happeningsOf } from '../portal/voucher-story.ts';
import { type Html, type HtmlValue, html } from '../rendering/html.ts';
import type { SupportCaseName } from './case-path.ts';
import type { NextStep } from './next-step.ts';
import { namesOthers, nextStepOfTopup } from './next-step-of-topup.ts';
import { nextStepOfVoucher } from './next-step-of-voucher.ts';
import { happeningsOfProviders } from './placement-story.ts';
import { happeningsOfRepairs } from './repair-story.ts';
import { happeningsOfTopup } from './topup-story.ts';

/** Everything that support needs to know of one voucher or one top-up; numbers are masked. */
export interface SupportCase extends SupportCaseName {
  /** The serial number, or the transactionId. */
  readonly name: string;
  readonly state: Html;
  /** Whom it is for, and what it is worth: enough to compare with the customer. */
  readonly brief: Html;
  readonly facts: Readonly<Record<string, HtmlValue>>;
  /** Whether there is a number that can be shown. */
  readonly hasNumber: boolean;
  readonly happenings: readonly Happening[];
  readonly next: NextStep;
  /** Of a top-up that is retried now or later: the providers that a route leads to besides the last one. */
  readonly otherProviders: readonly string[];
  /** Those that have not ended. */
  readonly openRepairs: readonly ShownRepair[];
  readonly transfers: readonly LedgerTransfer[];
}

/** Of a case; more there are hardly ever. */
const NEWEST_REPAIRS = 20;

async function readVoucherCase(database: Database, id: number): Promise<SupportCase | undefined> {
  const voucher = await findVoucherDetail(database, id, 'operator');
  if (!voucher) return undefined;
  const { ownerMsisdn, isRestricted } = voucher;
  const repairs = await listRepairs(database, { voucherId: id, limit: NEWEST_REPAIRS });
  const newest = voucher.redemptions.at(-1);
  const open = voucher.claims.findLast(({ status }) => status === 'OPEN');
  // The voucher waits on until the claim's workflow or the sweep has ended it.
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
    state: isClaimOver
      ? badge('warning', 'Claim ran out')
      : stateBadge(voucherStates, voucher.status),
    brief: html`${owner} · ${money(voucher.amount)} · ${redeemableAt}`,
    facts: {
      Owner: owner,
      Amount: money(voucher.amount),
      Left: money(voucher.remaining),
      'On hold': money(voucher.held),
      'Returned to the partner': money(voucher.returned),
      Partner: await partnerOfVoucher(database, id),
      Merchant: voucher.merchantName,
      Redeemable: redeemableAt,
      Generated: time(voucher.createdAt),
      'Valid until': time(voucher.expiresAt),
      ...(voucher.status === 'REDEEM_INITIATED' &&
        open && { 'Claim open until': time(new Date(open.expiresAt)) }),
      ...(newest && { 'Our reference at the provider': newest.paymentReference }),
    },
    hasNumber: ownerMsisdn !== null,
    happenings: [
      ...happeningsOf(voucher),
      ...happeningsOfProviders(voucher),
      ...happeningsOfRepairs(repairs),
    ],
    next: nextStepOfVoucher(voucher, repairs, new Date()),
    otherProviders: [],
    openRepairs: repairs.filter(isOpen),
    transfers: await readLedgerHistory(database, voucher.partnerId, operationsOf(voucher)),
  };
}

async function readTopupCase(database: Database, id: number): Promise<SupportCase | undefined> {
  const owner = await ownerOfTopup(database, id);
  const topup = owner && (await findTopupDetail(database, owner.partnerId, id));
  if (!topup) return undefined;
  const repairs = await listRepairs(database, { topupId: id, limit: NEWEST_REPAIRS });
  const others = await otherProviders(database, topup);
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
      Partner: owner.partner,
      Charged: topup.charged ? 'Yes' : 'No',
      'Provider’s reference': topup.provider_reference ?? '–',
      Accepted: time(topup.created_at),
      'Last change': time(topup.updated_at),
    },
    hasNumber: true,
    happenings: [...happeningsOfTopup(topup, owner.workflowId), ...happeningsOfRepairs(repairs)],
    next: nextStepOfTopup(topup, repairs, others),
    otherProviders: others,
    openRepairs: repairs.filter(isOpen),
    transfers: await readLedgerHistory(database, owner.partnerId, operationIds),
  };
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
