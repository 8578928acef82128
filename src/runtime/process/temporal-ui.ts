import type { Config } from '../../config/config.ts';

/** The Temporal UI, where staff look at workflows. */
export type TemporalUi = Pick<Config['temporal'], 'temporalUiUrl' | 'temporalNamespace'>;

/** The page of a workflow; undefined without a UI. */
export const workflowPage = (
  { temporalUiUrl, temporalNamespace }: TemporalUi,
  workflowId: string,
) =>
  temporalUiUrl === undefined
    ? undefined
    : `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows/${encodeURIComponent(workflowId)}`;
