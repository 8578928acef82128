interface SdkMetric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Counters of workflows/interceptors/count-outcomes.ts, which the SDK collects, and metrics of the SDK itself. */
export const sdkMetrics: Readonly<Record<string, SdkMetric>> = {
  voucher_service_workflow_starts_total: {
    kind: 'counter',
    help: 'Runs of workflows that began',
    labels: ['workflow_type'],
  },
  voucher_service_workflow_ends_total: {
    kind: 'counter',
    help: 'Runs of workflows that ended: `done`, `refused`, `continued` (as new), `needs-action` (a person is needed), `cancelled` or `failed`',
    labels: ['workflow_type', 'outcome'],
  },
  voucher_service_workflow_updates_total: {
    kind: 'counter',
    help: 'Answers of workflows to the API, such as `redeem`: `done`, `refused` or `failed`',
    labels: ['workflow_type', 'update', 'outcome'],
  },
  temporal_workflow_task_schedule_to_start_latency_seconds: {
    kind: 'histogram',
    help: 'Time that a workflow task waited for a worker',
    labels: ['workflow_type'],
  },
  temporal_workflow_task_execution_latency_seconds: {
    kind: 'histogram',
    help: 'Time of a workflow task in a worker',
    labels: ['workflow_type'],
  },
  temporal_workflow_task_execution_failed_total: {
    kind: 'counter',
    help: 'Workflow tasks that failed, for example because a workflow does not replay',
    labels: ['workflow_type', 'failure_reason'],
  },
  temporal_workflow_endtoend_latency_seconds: {
    kind: 'histogram',
    help: 'Time of a whole workflow',
    labels: ['workflow_type'],
  },
  temporal_activity_schedule_to_start_latency_seconds: {
    kind: 'histogram',
    help: 'Time that an activity waited for a worker',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_activity_execution_latency_seconds: {
    kind: 'histogram',
    help: 'Time of an attempt of an activity',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_activity_execution_failed_total: {
    kind: 'counter',
    help: 'Attempts of activities that failed',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_local_activity_execution_failed_total: {
    kind: 'counter',
    help: 'Attempts of local activities that failed',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_worker_task_slots_available: {
    kind: 'gauge',
    help: 'Free places of a worker',
    labels: ['worker_type'],
  },
  temporal_worker_task_slots_used: {
    kind: 'gauge',
    help: 'Taken places of a worker',
    labels: ['worker_type'],
  },
  temporal_num_pollers: {
    kind: 'gauge',
    help: 'Running polls for tasks',
    labels: ['poller_type'],
  },
  temporal_sticky_cache_size: {
    kind: 'gauge',
    help: 'Workflows in the memory of a worker',
    labels: [],
  },
  temporal_sticky_cache_hit_total: {
    kind: 'counter',
    help: 'Workflow tasks whose workflow was in memory',
    labels: [],
  },
  temporal_sticky_cache_miss_total: {
    kind: 'counter',
    help: 'Workflow tasks whose workflow had to replay',
    labels: [],
  },
  temporal_request_latency_seconds: {
    kind: 'histogram',
    help: 'Time of a request to the Temporal server',
    labels: ['operation'],
  },
  temporal_request_failure_total: {
    kind: 'counter',
    help: 'Requests to the Temporal server that failed',
    labels: ['operation', 'status_code'],
  },
};
