import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { SurfaceRoutes } from '../../src/http/app.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { reply } from '../../src/http/envelope.ts';
import type { BenchCall } from '../run-load.ts';
import type { bare, bareSlow } from '../workflows/bare.ts';
import { bareLifeEndpoints } from './bare-life.ts';
import { bareTaskQueue } from './bare-worker.ts';

const BASE_PATH = '/bench';

/** A route without access checks, below the address of the service. */
export const barePath = (path: string): string => BASE_PATH + path;

type BareWorkflow = 'bare' | 'bareSlow';

/** By bare workflow, its path and what its activity does. */
const routes: Readonly<Record<BareWorkflow, { readonly path: string; readonly does: string }>> = {
  bare: { path: '/bare-workflow', does: 'does nothing' },
  bareSlow: { path: '/slow-bare-workflow', does: 'waits as long as the provider' },
};

/** The call that runs a bare workflow. */
export const bareCall = (serviceUrl: string, workflow: BareWorkflow): BenchCall => ({
  url: serviceUrl + barePath(routes[workflow].path),
  headers: {},
  body: '',
});

/**
 * Routes of the service's own application that only run a bare workflow, started the ordinary way:
 * no access check, no body, no database.
 */
export const bareRoutes = (client: Client, serviceTaskQueue: string): SurfaceRoutes => ({
  surface: 'partner',
  basePath: BASE_PATH,
  endpoints: [
    ...(['bare', 'bareSlow'] as const).map((workflow) =>
      endpoint({
        method: 'POST',
        path: routes[workflow].path,
        operation: 'check-configuration',
        summary: 'Run a bare workflow',
        description: `One workflow with one normal activity that ${routes[workflow].does}.`,
        access: 'public',
        answer: z.null(),
        reasons: [],
        async handle() {
          await client.workflow.execute<typeof bare | typeof bareSlow>(workflow, {
            workflowId: `${workflow}:${randomUUID()}`,
            taskQueue: bareTaskQueue(serviceTaskQueue),
          });
          return reply(null);
        },
      }),
    ),
    ...bareLifeEndpoints(client, bareTaskQueue(serviceTaskQueue)),
  ],
});
