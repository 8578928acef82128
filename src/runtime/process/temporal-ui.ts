/** The Temporal UI, where staff look at workflows. */
export interface TemporalUi {
  /** Without a slash at its end; undefined where the settings have none. */
  readonly url: string | undefined;
  readonly namespace: string;
}

/** The page of a workflow; undefined without a UI. */
export const workflowPage = ({ url, namespace }: TemporalUi, workflowId: string) =>
  url === undefined
    ? undefined
    : `${url}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`;
