import type { ShownPlacement } from '../db/positions/placements.ts';
import type { VoucherDetail } from '../db/vouchers/voucher-detail.ts';
import { quoted } from '../domain/refusals.ts';
import type { Happening } from '../portal/layout/facts.ts';
import { money } from '../portal/layout/money.ts';
import { messageKinds, workflowOfClaim, workflowOfMessage } from '../portal/voucher-story.ts';
import { type Html, html } from '../rendering/html.ts';

type Observed = ShownPlacement['observations'][number];

/** What a provider says, in a sentence for staff. */
export function saidBy(provider: string, { word, done, words, providerReference }: Observed): Html {
  const said = words && html`: <span lang="en">${quoted(words)}</span>`;
  switch (word) {
    case 'done':
      return html`${provider} says that it did ${money(done)}${
        providerReference && html`, its reference is <code>${providerReference}</code>`
      }${said}.`;
    case 'undone':
      return html`${provider} says that it took it back${said}.`;
    case 'nothing':
      return html`${provider} says that it did nothing${said}.`;
    case 'other':
      return html`${provider} has something else under our reference${said}.`;
    case 'pending':
      return html`${provider} says that it is under way${said}.`;
    case 'none':
      return html`${provider} has not answered.`;
  }
}

/** What the providers of an order did not do, so that others were asked, and what they have said since. */
export function happeningsOfPlacements(
  all: readonly ShownPlacement[],
  what: string,
  workflowId: string | undefined,
): Happening[] {
  const placements = all.filter(({ kind }) => kind !== 'reversal');
  return placements.flatMap(({ provider, words, observations }, index) => {
    const next = placements[index + 1];
    const later = observations.slice(1).map((one) => ({
      at: new Date(one.at),
      workflowId,
      what: saidBy(provider, one),
    }));
    return next === undefined
      ? later
      : [
          notTaken(
            what,
            {
              from: provider,
              to: next.provider,
              message: observations[0]?.words ?? words ?? '',
              at: next.at,
            },
            workflowId,
          ),
          ...later,
        ];
  });
}

const notTaken = (
  what: string,
  { from, to, message, at }: VoucherDetail['messages'][number]['failovers'][number],
  workflowId: string | undefined,
): Happening => ({
  at: new Date(at),
  workflowId,
  what: html`${what} was not taken by ${from}: <span lang="en">${quoted(message)}</span>. ${to} was asked next.`,
});

/**
 * What providers did for a voucher beyond their first answers: its payments and its messages. For staff alone:
 * companies do not learn who the providers are.
 */
export const happeningsOfProviders = (voucher: VoucherDetail): Happening[] => [
  ...voucher.redemptions.flatMap(({ placements, reference, claimId }) =>
    happeningsOfPlacements(
      placements,
      `The payment of ${reference}`,
      workflowOfClaim(voucher, claimId),
    ),
  ),
  ...voucher.messages.flatMap(({ failovers, kind, ...names }) =>
    failovers.map((one) => notTaken(messageKinds[kind], one, workflowOfMessage(voucher, names))),
  ),
];
