import type { Config } from '../../config/config.ts';

/** The Temporal UI, where staff look at workflows. */
export type TemporalUi = Pick<Config['temporal'], 'temporalUiUrl' | 'temporalNamespace'>;

/** The pages of the namespace; undefined without a UI. */
export const namespacePages = ({ temporalUiUrl, temporalNamespace }: TemporalUi) =>
  temporalUiUrl && `${temporalUiUrl}/namespaces/${temporalNamespace}`;

const workflows = (ui: TemporalUi, rest: string): string | undefined => {
  const pages = namespacePages(ui);
  return pages && `${pages}/workflows${rest}`;
};

/** The page of a workflow; undefined without a UI. */
export const workflowPage = (ui: TemporalUi, workflowId: string) =>
  workflows(ui, `/${encodeURIComponent(workflowId)}`);

/** The list of the workflows that a query finds; undefined without a UI. */
export const workflowList = (ui: TemporalUi, query: string) =>
  workflows(ui, `?query=${encodeURIComponent(query)}`);
