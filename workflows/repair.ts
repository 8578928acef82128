import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  executeChild,
  ParentClosePolicy,
  setHandler,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import type { RepairEnded, RepairOutcome } from '../activities/repairs.ts';
import { formatAmount, parseMoney } from '../src/domain/money.ts';
import type { OperationOutcome } from '../src/domain/refusals.ts';
import { type RepairState, refusedCallWords, repairStateWords } from '../src/domain/repairs.ts';
import type { Company } from '../src/domain/vouchers/voucher.ts';
import { database, repairs } from './activity-options.ts';
import type { cancelVoucher } from './cancel-voucher.ts';
import {
  claimReleased,
  createNudges,
  providerNudge,
  type RepairCall,
  type RepairInput,
} from './contracts.ts';
import { linkToDesk, PERSON_NEEDED, showDetails } from './current-details.ts';
import type { resendMessage } from './resend-message.ts';
import type { reverseRedemption } from './reverse-redemption.ts';
import {
  merchantId,
  numberHash,
  operation,
  partnerId,
  summary,
  voucherSerial,
} from './search-attributes.ts';
import { type LastingStep, untilDone } from './steps/database-steps.ts';
import { signalIfRunning } from './steps/messages.ts';
import { cancelVoucherId, resendMessageId, reverseRedemptionId } from './workflow-ids.ts';

/** How a repair waits. */
type Patience = Pick<LastingStep<unknown>, 'takeNudge' | 'alarmAfterMs'>;

/** Looks again until something is known. */
const untilKnown = <Known>(
  patience: Patience,
  look: () => Promise<Known | undefined>,
  firstPauseMs?: number,
): Promise<Known> =>
  untilDone({
    ...patience,
    attempt: look,
    whileFailing: showFailing,
    firstPauseMs,
    pauseSummary: 'Not known yet: look again',
  });

const showFailing = (isOverdue: boolean): void =>
  showDetails(
    '**A step of this repair fails**: it is repeated, and nothing is done twice. To try now, send the ' +
      'signal `providerNudge`.',
    ...(isOverdue ? [PERSON_NEEDED] : []),
  );

/** The end of a repair, for the Temporal UI. */
interface RepairResult {
  readonly ended: RepairState;
}

/**
 * A repair that support staff or an operator asked for. Its first step judges it again, and
 * carries it out or says which operation does: the same that partners and merchants have. A cancellation
 * in the UI has no effect.
 */
export function repair(input: RepairInput): Promise<RepairResult> {
  return CancellationScope.nonCancellable(() => carryOut(input));
}

async function carryOut(input: RepairInput): Promise<RepairResult> {
  const nudges = createNudges(input.timing.maximumNudges);
  setHandler(providerNudge, nudges.give, {
    description: 'Looks at once whether it has come to its end. Needs no input.',
  });
  const { repairId, operationId } = input;
  const name = { repairId, operationId };
  const patience = { takeNudge: nudges.take, alarmAfterMs: input.timing.alarmAfterMs };
  const begun = await untilKnown(patience, () => database.beginRepair(name));
  if (begun.kind === 'ended') {
    if (begun.endedClaimWorkflow !== undefined)
      await signalIfRunning(begun.endedClaimWorkflow, claimReleased);
    return showEnded(begun);
  }
  showDetails(`**${repairStateWords.RUNNING}**: ${begun.label}.`, whatNext[begun.call.kind]);
  const outcome = await outcomeOf(input, begun.call, patience);
  return showEnded(await untilKnown(patience, () => database.endRepair(name, outcome)));
}

/** Runs the operation of a repair to its end. */
async function outcomeOf(
  input: RepairInput,
  call: RepairCall,
  patience: Patience,
): Promise<RepairOutcome> {
  const { timing, publicUrl } = input;
  const { inquiryIntervalMs } = timing;
  /** The result of the workflow that carries out the operation of a repair. */
  const resultOf = <Child extends Workflow>(
    type: string,
    { id, name, company }: { id: string; name: string; company: Company },
    ...args: Parameters<Child>
  ): Promise<Awaited<ReturnType<Child>>> =>
    childOf(patience, () =>
      executeChild<Workflow>(type, {
        ...optionsOfChild(name, company),
        workflowId: id,
        staticDetails: linkToDesk(publicUrl, id),
        args,
      }),
    );
  switch (call.kind) {
    case 'cancel-voucher': {
      const { operationId, company } = call.command;
      const child = { id: cancelVoucherId(operationId), name: 'cancel-voucher', company };
      return answerOf(
        await resultOf<typeof cancelVoucher>('cancelVoucher', child, call.command),
        ({ returned }) =>
          `ETB ${formatAmount(parseMoney(returned))} went back to the gift wallet of the partner.`,
      );
    }
    case 'resend-message': {
      const { operationId, company } = call.command;
      const child = { id: resendMessageId(operationId), name: 'resend-message', company };
      return answerOf(
        await resultOf<typeof resendMessage>('resendMessage', child, call.command),
        ({ kind, sending }) =>
          `The ${kind === 'VERIFICATION_CODE' ? 'code' : 'confirmation'} ` +
          (sending === 'unknown'
            ? 'is being sent again. If it does not arrive, send it once more.'
            : 'was sent again: the SMS provider took it.'),
      );
    }
    case 'reverse-redemption': {
      const { command } = call;
      const id = reverseRedemptionId(command.redemptionId, command.operationId);
      const child = { id, name: 'reverse', company: command.company };
      const input = { command, timing };
      const { ended } = await resultOf<typeof reverseRedemption>('reverseRedemption', child, input);
      return reversalWords[ended];
    }
    case 'retry-top-up':
      return answerOf(
        await untilKnown(patience, () => repairs.retryForRepair(call), inquiryIntervalMs),
        ({ referenceNumber }) => `It was delivered, provider's reference ${referenceNumber}.`,
      );
    case 'settle':
      return untilKnown(
        patience,
        async () => {
          await repairs.pressSettlement(call);
          return database.readSettlement(input.repairId, call);
        },
        inquiryIntervalMs,
      );
  }
}

const optionsOfChild = (name: string, { kind, id }: Company) => ({
  // A workflow that moves money goes on, whatever the end of the repair.
  parentClosePolicy: ParentClosePolicy.ABANDON,
  workflowTaskTimeout: '5s' as const,
  typedSearchAttributes: [
    { key: operation, value: name },
    ...namesOfRepair(kind === 'partner' ? partnerId : merchantId, String(id)),
  ],
});

/** The names of the repair, its row in lists, and its company. */
function namesOfRepair(companyKey: typeof partnerId, companyId: string) {
  const known = workflowInfo().typedSearchAttributes;
  return [summary, partnerId, merchantId, voucherSerial, numberHash].flatMap((key) => {
    const value = key === companyKey ? companyId : known.get(key);
    return value === undefined ? [] : [{ key, value }];
  });
}

/**
 * The result of a child. A child that an earlier run of this repair started, or that somebody
 * terminated, is started again until it ends: its operation is done once.
 */
const childOf = <Result>(patience: Patience, run: () => Promise<Result>): Promise<Result> =>
  untilKnown(patience, async () => {
    try {
      return await run();
    } catch (error) {
      const isRunning = error instanceof WorkflowExecutionAlreadyStartedError;
      if (!isRunning && !(error instanceof ChildWorkflowFailure)) throw error;
      return undefined;
    }
  });

/** The answer of an operation in words. */
const answerOf = <Result extends { readonly ok: true }>(
  { result }: OperationOutcome<Result>,
  wordsOf: (result: Result) => string,
): RepairOutcome =>
  result.ok
    ? { isDone: true, words: wordsOf(result) }
    : { isDone: false, words: refusedCallWords(result) };

const reversalWords: Readonly<
  Record<Awaited<ReturnType<typeof reverseRedemption>>['ended'], RepairOutcome>
> = {
  reversed: {
    isDone: true,
    words: 'The payment was taken back. The case says where its value is.',
  },
  'not-reversed': {
    isDone: false,
    words: 'The provider did not take the payment back: ask the merchant to pay it back.',
  },
  refused: {
    isDone: false,
    words: 'It cannot be taken back: ask the merchant to pay it back.',
  },
};

const whatNext: Readonly<Record<RepairCall['kind'], string>> = {
  'cancel-voucher': 'The workflow below it cancels the voucher.',
  'resend-message': 'The workflow below it sends the message.',
  'reverse-redemption': 'The workflow below it asks the provider.',
  'retry-top-up': 'The workflow of the top-up makes the attempt, and shows how far it is.',
  settle:
    'The workflow that waits for the provider asks it once more, and takes over what was decided where ' +
    'the provider does not say.',
};

function showEnded({ state, label, result }: RepairEnded): RepairResult {
  showDetails(`**${repairStateWords[state]}**: ${label}.`, ...(result === null ? [] : [result]));
  return { ended: state };
}
