import { ownerOfTopup, partnerOfVoucher } from '../db/cases/case-owner.js';
import type { Database } from '../db/connection.js';
import {
  type LedgerTransfer,
  operationsOf,
  readLedgerHistory,
} from '../db/ledger/ledger-history.js';
import { listRepairs, type ShownRepair } from '../db/repairs/repair-lists.js';
import { findTopupDetail } from '../db/topups/topup-detail.js';
import { findVoucherDetail } from '../db/vouchers/voucher-detail.js';
import { maskStored } from '../domain/phone.js';
import type { Happening } from '../portal/layout/facts.js';
import { money } from '../portal/layout/money.js';
import { time } from '../portal/layout/parts.js';
import { stateBadge, voucherStates } from '../portal/layout/states.js';
import { productOf, topupBadge } from '../portal/pages/topups/top-ups.js';
import { happeningsOf } from '../portal/voucher-story.js';
import { type Html, type HtmlValue, html } from '../process/html.js';
import { happeningsOfFailovers } from './failover-story.js';
import { nextStepOfTopup, nextStepOfVoucher } from './next-step.js';
import { happeningsOfRepairs } from './repair-story.js';
import { happeningsOfTopup } from './topup-story.js';

export type CaseKind = 'voucher' | 'top-up';

/** Everything that support needs to know of one voucher or one top-up; numbers are masked. */
export interface SupportCase {
  readonly kind: CaseKind;
  readonly id: number;
  /** The serial number, or the transactionId. */
  readonly name: string;
  readonly state: Html;
  readonly facts: Readonly<Record<string, HtmlValue>>;
  /** Whether there is a number that can be shown. */
  readonly hasNumber: boolean;
  readonly happenings: readonly Happening[];
  /** The newest first. */
  readonly repairs: readonly ShownRepair[];
  readonly next: string;
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
  return {
    kind: 'voucher',
    id,
    name: voucher.serialNumber,
    state: stateBadge(voucherStates, voucher.status),
    facts: {
      Owner: ownerMsisdn === null ? 'Anonymous' : maskStored(ownerMsisdn),
      Amount: money(voucher.amount),
      Left: money(voucher.remaining),
      'On hold': money(voucher.held),
      'Returned to the partner': money(voucher.returned),
      Partner: await partnerOfVoucher(database, id),
      Merchant: html`${voucher.merchantName}${isRestricted && ' (only there)'}`,
      Generated: time(voucher.createdAt),
      'Valid until': time(voucher.expiresAt),
      ...(voucher.status === 'REDEEM_INITIATED' &&
        open && { 'Claim open until': time(new Date(open.expiresAt)) }),
      ...(newest && { 'Our reference at the provider': newest.paymentReference }),
    },
    hasNumber: ownerMsisdn !== null,
    happenings: [
      ...happeningsOf(voucher),
      ...happeningsOfFailovers(voucher),
      ...happeningsOfRepairs(repairs),
    ],
    repairs,
    next: nextStepOfVoucher(voucher, repairs),
    transfers: await readLedgerHistory(database, voucher.partnerId, operationsOf(voucher)),
  };
}

async function readTopupCase(database: Database, id: number): Promise<SupportCase | undefined> {
  const owner = await ownerOfTopup(database, id);
  const topup = owner && (await findTopupDetail(database, owner.partnerId, id));
  if (!topup) return undefined;
  const repairs = await listRepairs(database, { topupId: id, limit: NEWEST_REPAIRS });
  const operationIds = topup.attempts.map(({ operationId }) => operationId);
  return {
    kind: 'top-up',
    id,
    name: String(id),
    state: topupBadge(topup),
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
    happenings: [...happeningsOfTopup(topup, owner), ...happeningsOfRepairs(repairs)],
    repairs,
    next: nextStepOfTopup(topup, repairs),
    transfers: await readLedgerHistory(database, owner.partnerId, operationIds),
  };
}

/** A case by its kind and id; undefined where there is none. */
export const readCase = (
  database: Database,
  kind: CaseKind,
  id: number,
): Promise<SupportCase | undefined> =>
  kind === 'voucher' ? readVoucherCase(database, id) : readTopupCase(database, id);
