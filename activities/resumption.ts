import { activityInfo, heartbeat } from '@temporalio/activity';
import {
  type HeldAttempt,
  type HeldRedemption,
  heldAttempts,
  heldRedemptions,
} from '../src/db/reconciliation/held-payments.js';
import { unfinishedMessages } from '../src/db/vouchers/abandoned-messages.js';
import type { RedeemCommand, TopUpInput } from '../workflows/messages.js';
import type { ActivityDependencies } from './dependencies.js';
import { severalAtOnce } from './several-at-once.js';

const PAGE_SIZE = 200;
/** So many starts are asked for at the same time: one takes milliseconds, mostly of waiting. */
const CONCURRENCY = 20;

export function createResumptionActivities({ database, resumption }: ActivityDependencies) {
  /** Takes up payments on hold whose workflows do not run any more; returns how many. */
  const resumeRedemptions = (): Promise<number> =>
    resumeAll(
      (afterId) => heldRedemptions(database, { afterId, limit: PAGE_SIZE }),
      ({ id }) => id,
      (held) =>
        resumption.resumeRedemption(
          {
            generationId: held.generation_id,
            claimOperationId: held.claim_operation_id,
            claimWorkflowId: held.claim_workflow_id,
          },
          redeemCommandOf(held),
        ),
    );

  /** The same for top-ups. */
  const resumeTopUps = (): Promise<number> =>
    resumeAll(
      (afterId) => heldAttempts(database, { afterId, limit: PAGE_SIZE }),
      ({ topup_id }) => topup_id,
      (held) => {
        const { creation_id: creationId, workflow_id: workflowId } = held;
        return resumption.resumeTopUp({ creationId, workflowId }, beginOf(held));
      },
    );

  /** Finishes messages that their workflows left behind, each by a workflow of its own. */
  const resumeMessages = (): Promise<number> =>
    resumeAll(
      (afterId) => unfinishedMessages(database, { afterId, limit: PAGE_SIZE }),
      ({ id }) => id,
      resumption.resumeMessage,
    );

  return { resumeRedemptions, resumeTopUps, resumeMessages };
}

/** How far a try of the activity has got: the next one goes on from there. */
interface Position {
  readonly afterId: number;
  readonly resumed: number;
}

/** Goes through all that was left behind, page by page, and through each page with several at once. */
async function resumeAll<Held>(
  pageAfter: (id: number) => Promise<Held[]>,
  idOf: (held: Held) => number,
  resume: (held: Held) => Promise<boolean>,
): Promise<number> {
  let { afterId, resumed }: Position = activityInfo().heartbeatDetails ?? {
    afterId: 0,
    resumed: 0,
  };
  for (;;) {
    const page = await pageAfter(afterId);
    // Whatever a page comes to, a try that is cut off in it does it again, which changes nothing.
    const position = { afterId, resumed };
    await severalAtOnce(page, CONCURRENCY, async (held) => {
      if (await resume(held)) resumed += 1;
      heartbeat(position);
    });
    afterId = page.length > 0 ? idOf(page[page.length - 1] as Held) : afterId;
    heartbeat({ afterId, resumed });
    if (page.length < PAGE_SIZE) return resumed;
  }
}

const requestOf = (held: HeldRedemption | HeldAttempt) => ({
  operationId: held.operation_id,
  requestId: held.request_id,
  requestDigest: held.request_digest,
  company: { kind: held.company_kind, id: held.company_id },
});

/** What was asked for is in the redemption's row by now; only who asked is needed again. */
const redeemCommandOf = (held: HeldRedemption): RedeemCommand => ({
  ...requestOf(held),
  voucherId: held.voucher_id,
  // Its own answer must not be taken for one that another request left behind.
  hasKey: true,
  merchantId: null,
  amount: null,
  verificationCodeDigest: null,
  msisdn: null,
});

function beginOf(held: HeldAttempt): TopUpInput['begin'] {
  const command = { ...requestOf(held), transactionId: held.topup_id };
  return held.operation_id === held.creation_id
    ? { kind: 'create', command }
    : { kind: 'retry', command: { ...command, attempt: held.attempt, msisdn: null } };
}
