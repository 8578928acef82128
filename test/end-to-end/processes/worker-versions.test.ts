import { expect, it } from 'vitest';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { findStalledVersion } from '../../../src/runtime/temporal/worker-version.ts';
import { startWorker } from '../../../src/worker.ts';
import { startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { createStories } from '../crashes/stories.ts';

it('a release gets tasks once it is current, and then also the claims of the one before', async () => {
  const stack = await startStack({ TEMPORAL_BUILD_ID: 'one' });
  const { temporal, config } = stack;
  const { temporalTaskQueue: deploymentName } = config.temporal;
  const { namespace, client } = temporal;
  const version = { deploymentName, buildId: 'one' };
  const stalled = (now?: number) =>
    findStalledVersion(temporal, version, config.temporal.temporalTaskQueue, now);
  const makeCurrent = (buildId: string) =>
    until(() =>
      client.workflowService.setWorkerDeploymentCurrentVersion({
        namespace,
        deploymentName,
        buildId,
        identity: 'test',
      }),
    );
  /** The release that has executed the last task of a claim. */
  const releaseOf = async (workflowId: string) => {
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId },
    });
    return workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
  };

  await until(async () => expect(await stalled()).toBe('No version is current'));
  await makeCurrent('one');
  await until(async () => expect(await stalled()).toBeUndefined());
  const stories = await createStories(stack);
  const old = await stories.stories.claim();
  const [claim] = await stack.database.selectFrom('voucher_claims').select('workflow_id').execute();
  const oldId = claim?.workflow_id ?? '';
  expect(await releaseOf(oldId)).toBe('one');

  const nextConfig = { ...config, temporal: { ...config.temporal, temporalBuildId: 'two' } };
  const next = await startWorker(nextConfig, temporal, {
    logger: createLogger('silent', 'test'),
  });
  await makeCurrent('two');
  // The old release is gone before the claim that it began is redeemed.
  await stack.worker.stop();
  await stories.redeemClaim(old);
  expect(await releaseOf(oldId)).toBe('two');
  await stories.stories.topup();
  expect(await stalled()).toBeUndefined();
  expect(await stalled(Date.now() + 600_000)).toBe('The current version two has no worker');
  await next.stop();
  await stack.stop();
});
