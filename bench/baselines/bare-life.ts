import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { reply } from '../../src/http/envelope.ts';
import { bareClaimed, type bareLife, bareRedeem } from '../workflows/bare-life.ts';

const route = {
  method: 'POST',
  operation: 'check-configuration',
  access: 'public',
  answer: z.null(),
  reasons: [],
} as const;

const workflowId = (life: string) => `bare-life:${life}`;

/** The claim and the redemption of a bare life: no access check, no database. */
export const bareLifeEndpoints = (client: Client, taskQueue: string) => [
  endpoint({
    ...route,
    path: '/bare-claim',
    summary: 'Begin a bare life',
    description: 'Starts a workflow that sends a message, and answers when it was sent.',
    body: z.object({ life: z.string(), owner: z.string(), payee: z.string() }),
    async handle({ body: { life, owner, payee } }) {
      await client.workflow.executeUpdateWithStart(bareClaimed, {
        startWorkflowOperation: new WithStartWorkflowOperation<typeof bareLife>('bareLife', {
          workflowId: workflowId(life),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue,
          args: [owner, payee],
        }),
      });
      return reply(null);
    },
  }),
  endpoint({
    ...route,
    path: '/bare-redeem',
    summary: 'Redeem a bare life',
    description: 'The workflow pays, and answers when the payment was made.',
    body: z.object({ life: z.string() }),
    async handle({ body: { life } }) {
      await client.workflow.getHandle(workflowId(life)).executeUpdate(bareRedeem);
      return reply(null);
    },
  }),
];
