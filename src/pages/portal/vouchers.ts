import type { MessageResent, VoucherCancelled } from '../../../workflows/contracts.ts';
import type { Database } from '../../db/connection.ts';
import { operationsOf, readLedgerHistory } from '../../db/ledger/ledger.ts';
import { type ListedVoucher, voucherList } from '../../db/lists/vouchers.ts';
import { readResendable } from '../../db/messages/resends.ts';
import { isBlocked } from '../../db/positions/cases.ts';
import { findVoucherDetail, type VoucherDetail } from '../../db/vouchers/vouchers.ts';
import { mayUse } from '../../domain/access.ts';
import { maskStored } from '../../domain/phone.ts';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import { isMissed } from '../../domain/vouchers/messages.ts';
import { isCancellable, refuseCancellation } from '../../domain/vouchers/voucher.ts';
import type { OperationResult, OperationServices } from '../../operations/run-once.ts';
import {
  cancelVoucherOnce,
  resendMessageOnce,
  type VoucherRequest,
} from '../../operations/vouchers.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { sentence } from '../language/language.ts';
import { usd } from '../layout/company-parts.ts';
import {
  ledgerHistory,
  stateOptions,
  voucherBadge,
  voucherState,
  voucherStates,
} from '../layout/labels.ts';
import {
  facts,
  money,
  onceField,
  onceKey,
  type Question,
  questionPage,
  stateWord,
  story,
  time,
} from '../layout/parts.ts';
import { happeningsOf } from '../layout/voucher-story.ts';
import {
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
  portal,
  redirect,
} from '../page.ts';
import { listedAmount, listedTime, listFilters, listPages } from './lists.ts';
import { callerOf, recordOperation, refusedPage } from './operate.ts';

const pathOf = (voucherId: number): string => `${PORTAL_PATH}/vouchers/${voucherId}`;

/** The voucher of the path; undefined where it is not the company's. */
const voucherOf = (request: AccountRequest): Promise<VoucherDetail | undefined> =>
  findVoucherDetail(request.services.database, idOf(request), {
    partnerId: request.session.company.id,
  });

/** An operation on a voucher, which a person confirms. */
interface VoucherOperation {
  readonly path: string;
  /** As the audit log names it. */
  readonly action: string;
  /** The question, or the refusal that is known before; `done` where nothing is left to do. */
  ask(
    voucher: VoucherDetail,
    database: Database,
  ): Promise<Omit<Question, 'back' | 'fields'> | Refusal | 'done'>;
  operate(
    services: OperationServices,
    request: VoucherRequest,
  ): Promise<OperationResult<VoucherCancelled | MessageResent>>;
  readonly done: string;
  /** The notice where it is not known whether the message was sent. */
  readonly sending?: string;
  /** The title of the page where it is refused, before or after the confirmation. */
  readonly refused: string;
}

/** Asks for the confirmation of an operation, carries it out once, and leads back to the voucher. */
const operationPages = (operation: VoucherOperation) => {
  const { path, action, done, sending = done } = operation;
  const refused = (refusal: Refusal, back: string): PageAnswer =>
    refusedPage({ title: operation.refused, refusal, back });
  return portal.asked({
    path,
    needs: 'operate',
    confirmation: 'none',
    kind: 'partner',
    async ask(request) {
      const voucher = await voucherOf(request);
      if (!voucher) return problems.notFound;
      const back = pathOf(voucher.id);
      const question = await operation.ask(voucher, request.services.database);
      if (question === 'done') return redirect(back, done);
      return 'reason' in question
        ? refused(question, back)
        : questionPage(request, { ...question, fields: onceField(), back });
    },
    async handle(request) {
      const [voucherId, key] = [idOf(request), onceKey(request)];
      if (key === undefined) return problems.invalid;
      if (!(await voucherOf(request))) return problems.notFound;
      await recordOperation(request, action, { voucherId });
      const company = callerOf(request);
      const { result } = await operation.operate(request.services, { company, key, voucherId });
      const back = pathOf(voucherId);
      if (!result.ok) return refused(result, back);
      const isUnknown = 'sending' in result && result.sending === 'unknown';
      return redirect(back, isUnknown ? sending : done);
    },
  });
};

/** Says what a cancellation does with the money, and cancels a voucher; what remains goes back to the gift wallet. */
export const cancelVoucherPages = operationPages({
  path: '/vouchers/:id/cancel',
  action: 'cancel voucher',
  async ask({ id, status, serialNumber, remaining }, database) {
    if (status === 'CANCELLED') return 'done';
    const refusal = refuseCancellation({ status, isBlocked: await isBlocked(database, id) });
    if (refusal) return refusal;
    return {
      title: sentence('Cancel voucher {1}?', serialNumber),
      text: html`<p>${money(remaining)} goes back to your gift wallet at once. The owner can no
longer redeem the voucher${
        status === 'REDEEM_INITIATED' && phrase(', and the claim that waits for the code ends')
      }. The owner is not told. This cannot be undone.</p>`,
      button: 'Cancel the voucher',
      isDanger: true,
    };
  },
  operate: cancelVoucherOnce,
  done: 'The voucher is cancelled.',
  refused: 'The voucher is not cancelled',
});

/** A voucher's owner; numbers are masked. */
const ownerOf = ({ ownerMsisdn }: Pick<ListedVoucher, 'ownerMsisdn'>): Html | string =>
  ownerMsisdn === null ? phrase('Anonymous') : maskStored(ownerMsisdn);

/** A partner's vouchers, newest first. */
export const voucherPages = listPages({
  path: '/vouchers',
  kind: 'partner',
  title: 'Vouchers',
  intro: html`<p>All vouchers that you have generated, newest first. Codes are not shown here: the API,
or the sale at the portal, showed each code once, and the result of a bulk order has its codes.</p>`,
  list: voucherList,
  filters: {
    state: listFilters.oneOf('State', 'status', stateOptions(voucherStates)),
    from: listFilters.fromDay('Generated from', 'createdAt'),
    to: listFilters.toDay('Generated to'),
  },
  fields: [
    {
      title: 'Serial number',
      phone: 'head',
      value: ({ id, serialNumber }) =>
        html`<a href="${PORTAL_PATH}/vouchers/${id}"><code>${serialNumber}</code></a>`,
      file: 'serialNumber',
    },
    listedTime('createdAt', 'Generated'),
    { title: 'Valid until', file: 'expiresAt' },
    {
      title: 'Merchant',
      phone: 'plain',
      value: 'merchantName',
      file: 'merchantName',
    },
    {
      title: 'Owner',
      phone: 'hidden',
      value: ownerOf,
      file: ({ ownerMsisdn }) => (ownerMsisdn === null ? 'Anonymous' : maskStored(ownerMsisdn)),
    },
    {
      title: 'State',
      phone: 'plain',
      value: voucherBadge,
      file: (voucher) => stateWord(voucherState(voucher)),
    },
    listedAmount('amount', 'Amount, ETB', 'Amount (ETB)', 'figure etb'),
    listedAmount('remaining', 'Left, ETB', 'Left (ETB)'),
  ],
  nothingYet: 'Vouchers appear here as soon as somebody sells one, or your server generates one.',
});

/** Says which message the owner gets once more, and sends the message that the owner may have missed. */
export const resendMessagePages = operationPages({
  path: '/vouchers/:id/resend',
  action: 'resend message',
  async ask(voucher, database) {
    const message = await readResendable(database, voucher.id);
    if (!message || !isMissed(message)) return refuse('nothing-to-resend');
    return {
      title: 'Send the message again?',
      text: html`<p>${ownerOf(voucher)} gets ${
        message.kind === 'VERIFICATION_CODE'
          ? phrase('the same verification code')
          : phrase('the confirmation of the last redemption')
      } by SMS once more. No money moves.</p>`,
      button: 'Send it again',
    };
  },
  operate: resendMessageOnce,
  done: 'The message was sent again.',
  sending: 'The message is being sent again. If it does not arrive, send it once more.',
  refused: 'The message was not sent',
});

/** One voucher with its history and its transfers, but never its code. */
export const showVoucher = portal.page({
  path: '/vouchers/:id',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const voucher = await voucherOf(request);
    if (!voucher) return problems.notFound;
    const { services, session } = request;
    const operations = operationsOf(voucher);
    const moves = await readLedgerHistory(services.database, session.company.id, operations);
    return {
      kind: 'page',
      title: sentence('Voucher {1}', voucher.serialNumber),
      content: html`<p><a href="${PORTAL_PATH}/vouchers">All vouchers</a></p>
<h1>Voucher <code>${voucher.serialNumber}</code> ${voucherBadge(voucher)}</h1>
<section class="card"><h2>The voucher</h2>
${facts({
  Amount: money(voucher.amount),
  Left: money(voucher.remaining),
  'On hold': money(voucher.held),
  'Returned to you': money(voucher.returned),
  Merchant: voucher.merchantName,
  'Can be redeemed': phrase(voucher.isRestricted ? 'At this merchant only' : 'At every merchant'),
  Owner: ownerOf(voucher),
  'Selling price': `USD ${usd(voucher.sellingPriceUsd)}`,
  Generated: time(voucher.createdAt),
  'Valid until': time(voucher.expiresAt),
})}
${actions(request, voucher)}</section>
<section class="card"><h2>What happened</h2>${story(happeningsOf(voucher))}</section>
<section class="card"><h2>How the money moved</h2>${ledgerHistory(moves)}</section>`,
    };
  },
});

/** The operations that the person may do with the voucher in its state. */
function actions({ session }: AccountRequest, voucher: VoucherDetail): Html | undefined {
  if (!mayUse(session.role, 'operate')) return undefined;
  const path = pathOf(voucher.id);
  const hasMessage = voucher.status === 'REDEEM_INITIATED' || voucher.redemptions.length > 0;
  const links = [
    hasMessage &&
      voucher.ownerMsisdn !== null &&
      html`<a class="button secondary" href="${path}/resend">Send the message again</a>`,
    isCancellable(voucher.status) &&
      html`<a class="button secondary" href="${path}/cancel">Cancel the voucher</a>`,
  ].filter((link) => link !== false);
  return links.length === 0 ? undefined : html`<p class="actions">${links}</p>`;
}
