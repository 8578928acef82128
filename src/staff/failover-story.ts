import type { VoucherDetail } from '../db/vouchers/voucher-detail.js';
import { quoted } from '../domain/refusals.js';
import type { Happening } from '../portal/layout/facts.js';
import { messageKinds, workflowOfClaim, workflowOfMessage } from '../portal/voucher-story.js';
import { type Html, html } from '../rendering/html.js';

type Failover = VoucherDetail['redemptions'][number]['failovers'][number];

/**
 * What providers did not do for a voucher, so that others were asked: its payments and its messages.
 * For staff alone: companies do not learn who the providers are.
 */
export const happeningsOfFailovers = (voucher: VoucherDetail): Happening[] => [
  ...voucher.redemptions.flatMap(({ failovers, reference, claimId }) =>
    failovers.flatMap((one) =>
      happened(one, `The payment of ${reference}`, workflowOfClaim(voucher, claimId)),
    ),
  ),
  ...voucher.messages.flatMap(({ failovers, kind, ...names }) =>
    failovers.flatMap((one) =>
      happened(one, messageKinds[kind], workflowOfMessage(voucher, names)),
    ),
  ),
];

const happened = (
  { from, to, message, at, doneAt, providerReference }: Failover,
  what: string,
  workflowId: string | undefined,
): Happening[] => [
  {
    at: new Date(at),
    workflowId,
    what: html`${what} was not taken by ${from}: <span lang="en">${quoted(message)}</span>. ${to} was asked next.`,
  },
  ...(doneAt === null
    ? []
    : [{ at: new Date(doneAt), workflowId, what: doneAfterAll(from, providerReference) }]),
];

/** An operator settles it: support has nothing to do. */
export const doneAfterAll = (provider: string, reference: string | null): Html =>
  html`${provider} has done it after all${
    reference && html`, its reference is <code>${reference}</code>`
  }. An operator settles it.`;
