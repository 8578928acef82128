import type { Config } from '../../config/config.ts';

/** The Temporal UI, where staff look at workflows. */
export type TemporalUi = Pick<Config['temporal'], 'temporalUiUrl' | 'temporalNamespace'>;

/** The pages of the namespace; undefined without a UI. */
export const namespacePages = ({ temporalUiUrl, temporalNamespace }: TemporalUi) =>
  temporalUiUrl && `${temporalUiUrl}/namespaces/${temporalNamespace}`;

/** The page of a workflow; undefined without a UI. */
export const workflowPage = (ui: TemporalUi, workflowId: string): string | undefined => {
  const pages = namespacePages(ui);
  return pages && `${pages}/workflows/${encodeURIComponent(workflowId)}`;
};
