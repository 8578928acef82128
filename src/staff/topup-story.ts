import type { TopupDetail } from '../db/topups/topup-detail.ts';
import { maskStored } from '../domain/phone.ts';
import { quoted } from '../domain/refusals.ts';
import type { Happening } from '../portal/layout/facts.ts';
import { type Html, html } from '../rendering/html.ts';
import { wordsOf } from './next-step.ts';
import { happeningsOfPlacements } from './placement-story.ts';

type Attempt = TopupDetail['attempts'][number];

/** The history of a top-up in sentences. */
export function happeningsOfTopup(topup: TopupDetail, workflowId: string): Happening[] {
  const happened = (at: Date | string, what: Html): Happening => ({
    at: new Date(at),
    what,
    workflowId,
  });
  return [
    happened(
      topup.created_at,
      html`Accepted for ${maskStored(topup.attempts[0]?.msisdn ?? topup.msisdn)}.`,
    ),
    ...topup.attempts.flatMap((attempt) => [
      happened(
        attempt.at,
        html`Attempt ${attempt.attempt} to ${maskStored(attempt.msisdn)}${
          attempt.provider && ` by ${attempt.provider}`
        }, our reference <code>${attempt.reference}</code>.`,
      ),
      ...happeningsOfPlacements(attempt.placements, `Attempt ${attempt.attempt}`, workflowId),
      ...(attempt.settledAt === null
        ? stillUnknown(topup).map((what) => happened(topup.updated_at, what))
        : [happened(attempt.settledAt, endOf(attempt))]),
    ]),
  ];
}

/** What the provider said last about an attempt whose outcome nobody knows. */
const stillUnknown = ({ status, message }: TopupDetail): Html[] =>
  status === 'UNKNOWN'
    ? [
        html`The provider has not said how it ended${
          message && html`: <span lang="en">${quoted(message)}</span>`
        }. The service asks again.`,
      ]
    : [];

const endOf = ({
  attempt,
  status,
  provider,
  providerReference,
  providerMessage,
  notDoneBy,
}: Attempt): Html =>
  status === 'POSTED'
    ? html`Attempt ${attempt} was delivered${provider && ` by ${provider}`}${
        providerReference && html`, the provider’s reference is <code>${providerReference}</code>`
      }.`
    : html`Attempt ${attempt} ${notDoneBy === 'service' ? 'was not sent' : 'failed'}${provider && ` at ${provider}`}${
        providerMessage && wordsOf(providerMessage, notDoneBy)
      }. Nothing was charged.`;
