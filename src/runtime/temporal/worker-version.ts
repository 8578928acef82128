import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '../../config/config.ts';
import type { TemporalConnection } from './connection.ts';
import { grpcCodeOf, grpcCodes } from './connection.ts';

/** The release that a worker runs, as Temporal knows it. */
interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** Temporal's number of the task queue's kind that takes tasks of workflows. */
const WORKFLOW_QUEUE = 1;

/** An idle worker polls again after a minute; Temporal forgets a worker that is gone after five. */
const POLL_MS = 120_000;

type Settings = Pick<Config['temporal'], 'temporalTaskQueue' | 'temporalBuildId'>;

/** The version of this release; undefined where workers have none. */
export const workerVersionOf = ({
  temporalTaskQueue: deploymentName,
  temporalBuildId: buildId,
}: Settings): WorkerVersion | undefined =>
  buildId === undefined ? undefined : { deploymentName, buildId };

/**
 * What a worker tells Temporal of its release. Every workflow moves to the current version with its
 * next task: one that holds money must never wait for workers of a release that is gone.
 */
export function workerVersionOptions(
  settings: Settings,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  const version = workerVersionOf(settings);
  if (!version) return {};
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { ...version },
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/**
 * Why no workflow of a deployment would go on: none of its versions is current, or the current one
 * has no worker on the task queue. Undefined where all is well.
 */
export async function findStalledVersion(
  { client, namespace }: TemporalConnection,
  { deploymentName }: WorkerVersion,
  taskQueue: string,
  now = Date.now(),
): Promise<string | undefined> {
  const { workflowService } = client;
  const current = await workflowService
    .describeWorkerDeployment({ namespace, deploymentName })
    .then(({ workerDeploymentInfo }) => workerDeploymentInfo?.routingConfig)
    .catch((error) => {
      // No worker of this deployment has polled yet.
      if (grpcCodeOf(error) === grpcCodes.notFound) return undefined;
      throw error;
    });
  const buildId = current?.currentDeploymentVersion?.buildId;
  if (!buildId) return 'No version is current';
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_QUEUE,
  });
  const isServed = pollers?.some(
    ({ deploymentOptions, lastAccessTime }) =>
      deploymentOptions?.buildId === buildId &&
      Number(lastAccessTime?.seconds) * 1_000 > now - POLL_MS,
  );
  return isServed ? undefined : `The current version ${buildId} has no worker`;
}
