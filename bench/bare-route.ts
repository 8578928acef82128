import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { SurfaceRoutes } from '../src/http/app.js';
import { endpoint } from '../src/http/endpoint.js';
import { reply } from '../src/http/envelope.js';
import { bareTaskQueue } from './bare-worker.js';
import type { bare } from './workflows/bare.js';

const BASE_PATH = '/bench';
const PATH = '/bare-workflow';

export const bareWorkflowPath = BASE_PATH + PATH;

/**
 * A route of the service's own application that only runs a bare workflow, started the ordinary way:
 * no access check, no body, no database.
 */
export const bareRoutes = (client: Client, serviceTaskQueue: string): SurfaceRoutes => ({
  surface: 'partner',
  basePath: BASE_PATH,
  endpoints: [
    endpoint({
      method: 'POST',
      path: PATH,
      operation: 'check-configuration',
      summary: 'Run a bare workflow',
      description: 'One workflow with one normal activity that does nothing.',
      access: 'public',
      answer: z.null(),
      reasons: [],
      async handle() {
        await client.workflow.execute<typeof bare>('bare', {
          workflowId: `bare:${randomUUID()}`,
          taskQueue: bareTaskQueue(serviceTaskQueue),
        });
        return reply(null);
      },
    }),
  ],
});
