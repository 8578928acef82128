import { firstDone, type ShownPlacement } from '../../db/positions/placements.ts';
import type { ShownRepair } from '../../db/repairs/repair-lists.ts';
import type { TopupDetail } from '../../db/topups/topups.ts';
import type { VoucherDetail } from '../../db/vouchers/vouchers.ts';
import { maskStored } from '../../domain/phone.ts';
import { saidWords } from '../../domain/positions/case-texts.ts';
import { providerName } from '../../domain/providers.ts';
import { quoted } from '../../domain/refusals.ts';
import { readWaitingEnd, waitingEnds } from '../../domain/repairs.ts';
import { type Html, html } from '../../rendering/html.ts';
import { type Happening, happening, unbroken } from '../layout/parts.ts';
import { messageKinds, workflowOfClaim, workflowOfMessage } from '../layout/voucher-story.ts';
import {
  askerOf,
  confirmerOf,
  repairPath,
  repairTitle,
  wordsOf,
  workflowOf,
} from './repair-parts.ts';

/** The words of a provider at the end of a sentence; none where it gave none. */
function quoteOf(message: string | null): Html | undefined {
  const words = quoted(message ?? '');
  return words === '' ? undefined : html`: <span lang="en">${words}</span>`;
}

/** The providers that did not do an order, so that others were asked, and their later observations. */
function happeningsOfPlacements(
  all: readonly ShownPlacement[],
  what: string,
  workflowId: string | undefined,
): Happening[] {
  const placements = all.filter(({ kind }) => kind !== 'reversal');
  return placements.flatMap((placement, index) => {
    const { provider, observations } = placement;
    const next = placements[index + 1];
    const later = observations
      .slice(1)
      .map((one) => happening(one.at, unbroken(saidWords(placement, one)), workflowId));
    return next === undefined
      ? later
      : [
          notTaken(
            what,
            {
              from: provider,
              to: next.provider,
              message: observations[0]?.message ?? '',
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
): Happening =>
  happening(
    at,
    html`${what} was not taken by ${providerName(from)}${quoteOf(message)}. ${providerName(to)} was asked next.`,
    workflowId,
  );

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

/** The repairs of a case by people of the service, and their results. */
export const happeningsOfRepairs = (repairs: readonly ShownRepair[]): Happening[] =>
  repairs.flatMap((row) => {
    const name = html`<a href="${repairPath(row.id)}">Repair ${row.id}</a>, “${repairTitle(row)}”,`;
    const workflowId = row.state === 'ASKED' ? undefined : workflowOf(row);
    if (row.result === null)
      return [happening(row.asked_at, html`${name} was asked for by ${askerOf(row)}.`, workflowId)];
    const confirmer = confirmerOf(row);
    const people = html`asked for by ${askerOf(row)}${confirmer !== null && html`, confirmed by ${confirmer}`}`;
    const { end, why } = repairEnd(row, row.result);
    return [
      happening(row.changed_at, html`${name} ${people}, ${end}: ${quoted(why)}.`, workflowId),
    ];
  });

function repairEnd(
  row: ShownRepair,
  result: string,
): { readonly end: string; readonly why: string } {
  const ended = readWaitingEnd(row);
  return ended
    ? { end: `was ${waitingEnds[ended.end].toLowerCase()}`, why: ended.why }
    : { end: row.state === 'DONE' ? 'was done' : 'was not done', why: result };
}

type Attempt = TopupDetail['attempts'][number];

/** The history of a top-up in sentences. */
export function happeningsOfTopup(topup: TopupDetail, workflowId: string): Happening[] {
  const happened = (at: Date | string, what: Html): Happening => happening(at, what, workflowId);
  return [
    happened(
      topup.createdAt,
      html`Accepted for ${maskStored(topup.attempts[0]?.msisdn ?? topup.msisdn)}.`,
    ),
    ...topup.attempts.flatMap((attempt) => [
      happened(
        attempt.at,
        html`Attempt ${attempt.attempt} to ${maskStored(attempt.msisdn)}${
          attempt.placements[0] && ` by ${providerName(attempt.placements[0].provider)}`
        }, our reference <code>${attempt.reference}</code>.`,
      ),
      ...happeningsOfPlacements(attempt.placements, `Attempt ${attempt.attempt}`, workflowId),
      ...(attempt.settledAt === null
        ? stillUnknown(topup).map((what) => happened(topup.updatedAt, what))
        : [happened(attempt.settledAt, attemptEnd(attempt))]),
    ]),
  ];
}

/** The last answer of the provider about an attempt without a known outcome. */
const stillUnknown = ({ status, message }: TopupDetail): Html[] =>
  status === 'UNKNOWN'
    ? [
        html`The provider has not said how it ended${
          message && html`: <span lang="en">${quoted(message)}</span>`
        }. The service asks again.`,
      ]
    : [];

const attemptEnd = ({
  attempt,
  status,
  provider,
  placements,
  providerMessage,
  notDoneBy,
}: Attempt): Html => {
  if (status === 'POSTED') {
    const done = firstDone(placements);
    return html`Attempt ${attempt} was delivered${done && ` by ${providerName(done.provider)}`}${
      done?.providerReference &&
      html`, the provider’s reference is <code>${done.providerReference}</code>`
    }.`;
  }
  return html`Attempt ${attempt} ${notDoneBy === 'service' ? 'was not sent' : 'failed'}${provider && ` at ${providerName(provider)}`}${
    providerMessage && wordsOf(providerMessage, notDoneBy)
  }. Nothing was charged.`;
};
