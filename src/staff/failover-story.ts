import type { VoucherDetail } from '../db/vouchers/voucher-detail.ts';
import { quoted } from '../domain/refusals.ts';
import type { Happening } from '../portal/layout/facts.ts';
import { messageKinds, workflowOfClaim, workflowOfMessage } from '../portal/voucher-story.ts';
import { type Html, html } from '../rendering/html.ts';

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
  failover: Failover,
  what: string,
  workflowId: string | undefined,
): Happening[] => {
  const { from, to, message, at } = failover;
  return [
    {
      at: new Date(at),
      workflowId,
      what: html`${what} was not taken by ${from}: <span lang="en">${quoted(message)}</span>. ${to} was asked next.`,
    },
    ...saidLater(failover).map((one) => ({ ...one, workflowId })),
  ];
};

/** What the first one has said since. An operator settles it: support has nothing to do. */
export function saidLater({
  from,
  doneAt,
  providerReference,
  disagreement,
  disagreedAt,
}: Failover): { readonly at: Date; readonly what: Html }[] {
  if (doneAt !== null)
    return [
      {
        at: new Date(doneAt),
        what: html`${from} has done it after all${
          providerReference && html`, its reference is <code>${providerReference}</code>`
        }. An operator settles it.`,
      },
    ];
  if (disagreement === null || disagreedAt === null) return [];
  const words = html`<span lang="en">${quoted(disagreement)}</span>`;
  return [
    {
      at: new Date(disagreedAt),
      what: html`${from} has something else under our reference: ${words}. An operator clears it.`,
    },
  ];
}
