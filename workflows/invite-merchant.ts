import {
  ApplicationFailure,
  CancellationScope,
  condition,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { MessageOutcome } from '../activities/messages.ts';
import { quoted } from '../src/domain/refusals.ts';
import { database, providers } from './activity-options.ts';
import { type InviteMerchantInput, invitationSettled } from './contracts.ts';
import { showDetails } from './current-details.ts';
import { needsAction } from './search-attributes.ts';
import { untilNotRefused } from './steps/failures.ts';
import { signalIfRunning } from './steps/messages.ts';
import { byProvider } from './steps/waiting.ts';
import { inviteMerchantId } from './workflow-ids.ts';

type InvitationState = Awaited<ReturnType<typeof database.beginInvitation>>;
type Channel = InvitationState['channels'][number];

/** The end of an invitation, for the Temporal UI. */
export interface InviteMerchantResult {
  readonly ended: 'used' | 'replaced' | 'expired';
}

/** Attempts to send a message that was provably not sent, over about half an hour. */
const MAXIMUM_SENDINGS = 15;
const FIRST_PAUSE_MS = 1_000;
const MAXIMUM_PAUSE_MS = 5 * 60 * 1_000;

const channelNames: Readonly<Record<Channel, string>> = { SMS: 'SMS', EMAIL: 'e-mail' };

/**
 * Invites a merchant to the portal (specification 5): sends its messages, and ends the invitation
 * at its expiry. A refused message does not stop the other one.
 *
 * @throws ApplicationFailure when no message was delivered, because then a person is needed
 */
export function inviteMerchant(input: InviteMerchantInput): Promise<InviteMerchantResult> {
  return CancellationScope.nonCancellable(() => invite(input));
}

async function invite(input: InviteMerchantInput): Promise<InviteMerchantResult> {
  const { invitationId } = input;
  let isNews = false;
  setHandler(
    invitationSettled,
    () => {
      isNews = true;
    },
    {
      description:
        'Do not send it. The service does, when the link is used or a newer invitation takes its place.',
    },
  );
  const begun = await database.beginInvitation(invitationId, input.lifetimeMs);
  if (begun.status !== 'OPEN') return resultOf(begun);
  if (begun.replacedId !== null)
    await signalIfRunning(inviteMerchantId(begun.replacedId), invitationSettled);
  showDetails(`**Inviting** merchant ${input.merchantId}: the messages are being sent.`);
  const outcomes = await Promise.all(
    begun.channels.map(async (channel) => ({
      channel,
      outcome: await sendUntilSettled(invitationId, channel),
    })),
  );
  const lines = outcomes.map(
    ({ channel, outcome }) => `- ${channelNames[channel]}: ${words(outcome)}`,
  );
  if (outcomes.every(({ outcome }) => isFailed(outcome))) {
    const ended = await database.endInvitation(invitationId, 'UNDELIVERED');
    if (ended.status === 'UNDELIVERED') fail(input, lines);
    return resultOf(ended);
  }
  const isDoubtful = outcomes.every(({ outcome }) => outcome.kind !== 'accepted');
  if (isDoubtful) upsertSearchAttributes([{ key: needsAction, value: true }]);
  showDetails(
    `**Invited**: merchant ${input.merchantId} can use the link until it expires.`,
    lines.join('\n'),
  );
  const ended = await untilOver();
  if (isDoubtful) upsertSearchAttributes([{ key: needsAction, value: false }]);
  const result = resultOf(ended);
  showDetails(`**Over**: the invitation of merchant ${input.merchantId} is ${result.ended}.`);
  return result;

  /** Waits until the link was used or has expired, by the database's clock. */
  async function untilOver(): Promise<InvitationState> {
    for (let { remainingMs } = begun; ; ) {
      await condition(() => isNews, remainingMs, { summary: 'Until the invitation expires' });
      isNews = false;
      const state = await database.endInvitation(invitationId, 'EXPIRED');
      if (state.status !== 'OPEN') return state;
      remainingMs = Math.max(1, state.remainingMs);
    }
  }
}

/** Retries unsent messages with backoff while the invitation is open. */
async function sendUntilSettled(invitationId: string, channel: Channel): Promise<MessageOutcome> {
  const summary = `Send the invitation by ${channelNames[channel]}`;
  for (let sendings = 1; ; sendings += 1) {
    const outcome = await untilNotRefused(() =>
      providers.sendInvitation.executeWithOptions({ summary }, [invitationId, channel]),
    );
    if (outcome.kind !== 'not-sent' || sendings === MAXIMUM_SENDINGS) return outcome;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (sendings - 1), MAXIMUM_PAUSE_MS);
    await sleep(pauseMs, { summary: `The ${channelNames[channel]} was not sent: try again` });
  }
}

const isFailed = ({ kind }: MessageOutcome): boolean => kind === 'refused' || kind === 'not-sent';

function words(outcome: MessageOutcome): string {
  if (outcome.kind === 'accepted') return `sent${byProvider(outcome.asked)}`;
  if (outcome.kind === 'unknown') return 'nobody knows whether it was sent; it is not sent again';
  return `not sent (${quoted(outcome.message)})`;
}

function fail({ merchantId }: InviteMerchantInput, lines: readonly string[]): never {
  upsertSearchAttributes([{ key: needsAction, value: true }]);
  showDetails(
    `**Reached nobody**: no message to merchant ${merchantId} was delivered, so its link is dead.`,
    lines.join('\n'),
    'Correct its telephone number and e-mail address (`npm run admin -- change merchant`), then invite ' +
      'it again (`npm run admin -- invite merchant`).',
  );
  throw ApplicationFailure.nonRetryable(
    `The invitation of merchant ${merchantId} reached nobody\n${lines.join('\n')}`,
    'NeedsAction',
  );
}

function resultOf({ status }: InvitationState): InviteMerchantResult {
  if (status === 'USED') return { ended: 'used' };
  return { ended: status === 'REPLACED' ? 'replaced' : 'expired' };
}
