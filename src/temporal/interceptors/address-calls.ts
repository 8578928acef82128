import type { WorkflowClientInterceptor } from '@temporalio/client';
import { addressed } from '../../../workflows/outsiders/addressed-input.ts';

/** Addresses the data of the client's calls, as refuse-outsiders.ts asks for. */
export const addressCalls: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    next({ ...input, options: addressedStart(input.workflowType, input.options) }),
  startUpdate: (input, next) =>
    next({ ...input, args: addressed(`update ${input.updateName}`, input.args) }),
  startUpdateWithStart: (input, next) =>
    next({
      ...input,
      workflowStartOptions: addressedStart(input.workflowType, input.workflowStartOptions),
      updateArgs: addressed(`update ${input.updateName}`, input.updateArgs),
    }),
  signal: (input, next) =>
    next({ ...input, args: addressed(`signal ${input.signalName}`, input.args) }),
  signalWithStart: (input, next) =>
    next({
      ...input,
      options: addressedStart(input.workflowType, input.options),
      signalArgs: addressed(`signal ${input.signalName}`, input.signalArgs),
    }),
};

const addressedStart = <Options extends { readonly args: unknown[] }>(
  workflowType: string,
  options: Options,
): Options => ({ ...options, args: addressed(`start ${workflowType}`, options.args) });
