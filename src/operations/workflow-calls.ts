import {
  type Client,
  type UpdateDefinition,
  type Workflow,
  WorkflowNotFoundError,
  type WorkflowResultType,
} from '@temporalio/client';
import type { cancelVoucher } from '../../workflows/cancel-voucher.ts';
import type { checkPayoutAccount } from '../../workflows/check-payout-account.ts';
import {
  type CancelVoucherCommand,
  type ClaimCommand,
  claimResult,
  type GenerateVoucherCommand,
  providerNudge,
  type RedeemCommand,
  type RedemptionTiming,
  type ResendMessageCommand,
  type RetryCommand,
  type ReverseRedemptionCommand,
  redeem,
  retryTopup,
  reversalResult,
  type TopupCommand,
  type TopupTiming,
  topupResult,
} from '../../workflows/contracts.ts';
import type { generateVoucher } from '../../workflows/generate-voucher.ts';
import type { redeemVoucher } from '../../workflows/redeem-voucher.ts';
import type { resendMessage } from '../../workflows/resend-message.ts';
import type { reverseRedemption } from '../../workflows/reverse-redemption.ts';
import type { topup } from '../../workflows/top-up.ts';
import {
  cancelVoucherId,
  checkPayoutAccountId,
  generateVoucherId,
  resendMessageId,
} from '../../workflows/workflow-ids.ts';
import type { NamedRedemption } from '../db/support-search.ts';
import { formatAmount, parseMoney } from '../domain/money.ts';
import type { NumberBox, StoredNumber } from '../domain/phone.ts';
import type { ReportedCode } from '../domain/vouchers/messages.ts';
import { type NamedVoucher, namesOfVoucher } from '../domain/vouchers/voucher.ts';
import type { Failpoint, FailpointName } from '../runtime/process/failpoint.ts';
import { withinTime } from '../runtime/process/within-time.ts';
import { type Answers, startAndAnswer } from '../runtime/temporal/answers.ts';
import type { Reachability } from '../runtime/temporal/connection.ts';
import { startBulkOrder } from '../runtime/temporal/starters.ts';
import {
  claimIdFor,
  type FindableVoucher,
  namesOfCompany,
  redemptionStart,
  redemptionWorkflowId,
  reversalStart,
  type StartNames,
  startOf,
  tellCodeDelivery,
  tellIfRunning,
  topupStart,
  updateWithStart,
  type WorkflowStart,
} from '../runtime/temporal/workflow-starts.ts';
import {
  callError,
  isUnreachable,
  missedWorkflow,
  StillProcessingError,
  WorkflowsUnavailableError,
} from './call-errors.ts';

/** The parts of a workflow's start other than the request. */
interface StartContext {
  readonly taskQueue: string;
  readonly timing: RedemptionTiming & TopupTiming;
  /** Makes the hashes of numbers by which workflows are found. */
  readonly numbers: Pick<NumberBox, 'hashOf' | 'hashOfStored'>;
}

export interface WorkflowClientOptions extends StartContext {
  readonly client: Client;
  readonly reachability: Reachability;
  /**
   * What workflows in this process answer, where a worker shares the client's connection: that allows eager starts.
   */
  readonly answers: Pick<Answers, 'listen'> | undefined;
  readonly callerWaitMs: number;
  readonly failpoint: Failpoint;
}

/** How requests of one kind reach their workflow, and how it answers. */
export interface WorkflowCall<Request, Answer> {
  /** The failpoint of a call that is on its way. */
  readonly sent?: FailpointName;
  send(request: Request, options: WorkflowClientOptions): Promise<Answer>;
}

/** The result of the whole workflow is the answer. */
const answeredByResult = <Request, Run extends Workflow>(
  startFor: (request: Request, context: StartContext) => WorkflowStart<Run>,
  started?: FailpointName,
): WorkflowCall<Request, WorkflowResultType<Run>> => ({
  send: (request, context) =>
    startAndAnswer(context, startFor(request, context), {
      started: () => (started ? context.failpoint(started) : undefined),
      ask: (handle) => handle.result(),
      recorded: (handle) => handle.result(),
    }),
});

/** An update is the answer. */
const answeredByUpdate = <
  Request extends { readonly command: { readonly requestId: string } },
  Answer,
  Input extends unknown[],
  Run extends Workflow,
>(call: {
  readonly update: UpdateDefinition<Answer, Input>;
  readonly input: (request: Request) => Input;
  readonly startFor: (request: Request, context: StartContext) => WorkflowStart<Run>;
  readonly sent: FailpointName;
}): WorkflowCall<Request, Answer> => ({
  sent: call.sent,
  send: (request, context) =>
    updateWithStart(context, call.startFor(request, context), call.update, {
      args: call.input(request),
      updateId: request.command.requestId,
    }),
});

/** The ends of workflows that did nothing: the refusal that one of their tasks has told stands. */
const DID_NOTHING: readonly string[] = ['refused', 'cancelled'];

/** The workflow answers the call that starts it, and goes on. Callers in other processes ask by an update. */
const answeredByStart = <
  Request extends { readonly command: { readonly requestId: string } },
  Answer,
  Run extends Workflow,
>(call: {
  readonly update: UpdateDefinition<Answer, []>;
  readonly startFor: (request: Request, context: StartContext) => WorkflowStart<Run>;
  readonly sent: FailpointName;
}): WorkflowCall<Request, Answer> => {
  const asked = answeredByUpdate({ ...call, input: () => [] });
  return {
    sent: call.sent,
    send(request, context) {
      if (!context.answers) return asked.send(request, context);
      const { requestId: updateId } = request.command;
      return startAndAnswer(context, call.startFor(request, context), {
        async ask(handle) {
          try {
            return await handle.executeUpdate(call.update, { updateId });
          } catch (error) {
            // The workflow has ended meanwhile, in another process. A new run finds the answer in the database.
            if (error instanceof WorkflowNotFoundError) return asked.send(request, context);
            throw error;
          }
        },
        async recorded(handle, told) {
          const { ended } = Object(await handle.result());
          if (DID_NOTHING.includes(ended)) return told;
          throw new StillProcessingError('Another task of the workflow has decided otherwise');
        },
      });
    },
  };
};

/** A claim or redemption of a voucher. */
interface OfVoucher<Command> {
  readonly voucher: FindableVoucher;
  readonly command: Command;
}

/** A request about a voucher that the company may not have. */
export interface OfVoucherIfAny<Command> {
  readonly voucher: NamedVoucher | undefined;
  readonly command: Command;
}

/** The hash of a number as it was given in clear, or none. */
const hashOf = (given: string | null, { numbers }: StartContext): StartNames =>
  given === null ? {} : { numberHash: numbers.hashOf(given) };

const namesOfVoucherIfAny = (
  voucher: NamedVoucher | undefined,
  { numbers }: StartContext,
): StartNames => (voucher === undefined ? {} : namesOfVoucher(voucher, numbers));

/** A merchant that asks is the payee. The owner's number goes before a given one. */
const namesOfRedemption = (
  { voucher, command }: OfVoucher<ClaimCommand | RedeemCommand>,
  context: StartContext,
): StartNames => ({
  ...hashOf('msisdn' in command ? command.msisdn : null, context),
  partnerId: voucher.partnerId,
  merchantId: ('merchantId' in command ? command.merchantId : null) ?? voucher.merchantId,
  ...namesOfCompany(command.company),
  serialNumber: voucher.serialNumber,
  ...(voucher.ownerMsisdn !== null && {
    numberHash: context.numbers.hashOfStored(voucher.ownerMsisdn),
  }),
});

/** Amount and companies of a claim or a redemption, for people. */
const aboutVoucher = ({ voucher, command }: OfVoucher<ClaimCommand | RedeemCommand>): string =>
  `ETB ${formatAmount(parseMoney(command.amount ?? voucher.remaining))}, ` +
  `voucher of ${voucher.partner} for ${voucher.merchant}`;

/** The calls of the API in Temporal. */
export const calls = {
  generate: answeredByResult(
    (command: GenerateVoucherCommand, context) =>
      startOf<typeof generateVoucher>('generateVoucher', {
        operation: 'generate-voucher',
        workflowId: generateVoucherId(command.operationId),
        args: [command],
        names: { ...namesOfCompany(command.company), ...hashOf(command.ownerMsisdn, context) },
        summary: `Voucher of partner ${command.company.id}`,
      }),
    'generate-started',
  ),

  cancel: answeredByResult(({ command, voucher }: OfVoucherIfAny<CancelVoucherCommand>, context) =>
    startOf<typeof cancelVoucher>('cancelVoucher', {
      operation: 'cancel-voucher',
      workflowId: cancelVoucherId(command.operationId),
      args: [command],
      names: { ...namesOfVoucherIfAny(voucher, context), ...namesOfCompany(command.company) },
      summary: `Cancellation of voucher ${command.voucherId} by partner ${command.company.id}`,
    }),
  ),

  /** The answer waits for the SMS provider. */
  resend: answeredByResult(({ command, voucher }: OfVoucherIfAny<ResendMessageCommand>, context) =>
    startOf<typeof resendMessage>('resendMessage', {
      operation: 'resend-message',
      workflowId: resendMessageId(command.operationId),
      args: [command],
      names: { ...namesOfVoucherIfAny(voucher, context), ...namesOfCompany(command.company) },
      summary: `Message of voucher ${command.voucherId} again`,
    }),
  ),

  /** The answer comes when the code was sent. */
  claim: answeredByStart({
    update: claimResult,
    startFor: (
      request: OfVoucher<ClaimCommand>,
      context: StartContext,
    ): WorkflowStart<typeof redeemVoucher> =>
      redemptionStart(
        claimIdFor(request.voucher, request.command.operationId),
        { begin: { kind: 'claim', claim: request.command }, timing: context.timing },
        namesOfRedemption(request, context),
        aboutVoucher(request),
      ),
    sent: 'claim-started',
  }),

  /** Through the workflow of the voucher's live claim, or through a separate one. */
  redeem: answeredByUpdate({
    update: redeem,
    input: ({ command }) => [command],
    startFor: (
      request: OfVoucher<RedeemCommand>,
      context: StartContext,
    ): WorkflowStart<typeof redeemVoucher> =>
      redemptionStart(
        redemptionWorkflowId(request.voucher),
        { begin: { kind: 'redeem', redeem: request.command }, timing: context.timing },
        namesOfRedemption(request, context),
        aboutVoucher(request),
      ),
    sent: 'redeem-started',
  }),

  /** The answer waits for the mobile-money provider; the workflow then tells the owner. */
  reverse: answeredByStart({
    update: reversalResult,
    startFor: (
      request: {
        readonly command: ReverseRedemptionCommand;
        /** Undefined where the merchant has no such redemption. */
        readonly redemption: NamedRedemption | undefined;
      },
      context: StartContext,
    ): WorkflowStart<typeof reverseRedemption> =>
      reversalStart(
        { command: request.command, timing: context.timing },
        {
          ...namesOfVoucherIfAny(request.redemption, context),
          references: request.redemption?.references,
        },
      ),
    sent: 'reverse-started',
  }),

  /** The answer comes when the outcome of the first attempt is known. */
  topup: answeredByStart({
    update: topupResult,
    startFor: (
      request: {
        readonly workflowId: string;
        readonly command: TopupCommand;
        /** E.164 */
        readonly msisdn: string;
      },
      context: StartContext,
    ): WorkflowStart<typeof topup> =>
      topupStart(
        request.workflowId,
        { begin: { kind: 'create', command: request.command }, timing: context.timing },
        hashOf(request.msisdn, context),
      ),
    sent: 'topup-started',
  }),

  /** One more attempt, by the workflow that waits for it or by its successor. */
  retry: answeredByUpdate({
    update: retryTopup,
    input: ({ command }) => [command],
    startFor: (
      request: {
        readonly workflowId: string;
        readonly command: RetryCommand;
        /** The number of the attempt before it. */
        readonly previous: StoredNumber;
      },
      context: StartContext,
    ): WorkflowStart<typeof topup> =>
      topupStart(
        request.workflowId,
        { begin: { kind: 'retry', command: request.command }, timing: context.timing },
        {
          numberHash: request.command.numberHash ?? context.numbers.hashOfStored(request.previous),
        },
      ),
    sent: 'retry-started',
  }),

  /** The answer waits for the providers. Concurrent callers get the same answer. */
  checkPayoutAccount: answeredByResult(
    ({ merchantId }: { readonly merchantId: number }, { taskQueue }) =>
      startOf<typeof checkPayoutAccount>('checkPayoutAccount', {
        operation: 'check-payout-account',
        workflowId: checkPayoutAccountId(merchantId, taskQueue),
        args: [{ merchantId }],
        names: { merchantId },
        summary: `Payout account of merchant ${merchantId}`,
      }),
  ),
};

export type WorkflowClient = ReturnType<typeof createWorkflowClient>;

/** Several companies that claim one voucher at once can interrupt a workflow more than once. */
const MAXIMUM_CALLS = 4;

/**
 * Calls workflows and waits for their answers until a deadline. Every call can be repeated: ids
 * and policies route a repetition to the same workflow. An update has the id of the HTTP request
 * that began the operation: a repetition adds none, and Temporal never returns answers that the
 * database has deleted.
 */
export function createWorkflowClient(options: WorkflowClientOptions) {
  const { client, reachability, failpoint, callerWaitMs } = options;

  async function callOnce<Request, Answer>(
    kind: WorkflowCall<Request, Answer>,
    request: Request,
    { deadline, isFirst }: { readonly deadline: number; readonly isFirst: boolean },
  ): Promise<Answer> {
    // After the first call it is no longer certain that nothing was started.
    if (!(await reachability.isReachable())) throw new WorkflowsUnavailableError(isFirst);
    const calling = client.withDeadline(deadline, () => kind.send(request, options));
    calling.catch((error) => isUnreachable(error) && reachability.doubt());
    const answer = before(deadline, calling);
    // If a test fails this step, no code awaits the answer.
    answer.catch(() => {});
    if (kind.sent) await failpoint(kind.sent);
    return answer;
  }

  /**
   * Makes one of the `calls`, and waits for its answer until a deadline. A call that missed its workflow, for
   * example at its end, is repeated.
   *
   * @throws StillProcessingError, WorkflowsUnavailableError
   */
  async function call<Request, Answer>(
    kind: WorkflowCall<Request, Answer>,
    request: Request,
    deadline: number,
  ): Promise<Answer> {
    for (let made = 1; ; made += 1) {
      try {
        return await callOnce(kind, request, { deadline, isFirst: made === 1 });
      } catch (error) {
        if (made === MAXIMUM_CALLS || !missedWorkflow(error)) throw callError(error);
      }
    }
  }

  /**
   * Sends the nudge of a provider within the wait of a caller; a workflow that has ended needs it no more. Nothing
   * waits for an answer to a signal: one that is not known to have arrived is unavailable, and its sender repeats it.
   *
   * @throws WorkflowsUnavailableError
   */
  async function tell(workflowId: string): Promise<void> {
    if (!(await reachability.isReachable())) throw new WorkflowsUnavailableError(true);
    const handle = client.workflow.getHandle(workflowId);
    try {
      await tellIfRunning(() =>
        client.withDeadline(Date.now() + callerWaitMs, () => handle.signal(providerNudge)),
      );
    } catch (error) {
      const found = callError(error);
      const isUnknown = found instanceof StillProcessingError;
      if (isUnknown || isUnreachable(error)) reachability.doubt();
      throw isUnknown ? new WorkflowsUnavailableError(false, error) : found;
    }
  }

  /** Starts the workflow of a recorded order, unless it runs. */
  const beginBulkOrder = (order: Parameters<typeof startBulkOrder>[1]): Promise<boolean> =>
    client.withDeadline(Date.now() + callerWaitMs, () => startBulkOrder(options, order));

  return {
    call,
    tell,
    tellCode: (code: ReportedCode) => tellCodeDelivery(client, code),
    beginBulkOrder,
  };
}

/**
 * The native client may restart its timeout when it retries a call, so this timer enforces ours.
 */
const before = <Answer>(deadline: number, answer: Promise<Answer>): Promise<Answer> =>
  withinTime(deadline - Date.now(), answer, () => {
    throw new StillProcessingError('The workflow has not answered yet');
  });
