import { expect, test } from 'vitest';
import { boundSeries } from '../../../src/runtime/metrics/metrics.ts';

const text = `# HELP temporal_failed_total Failures
# TYPE temporal_failed_total counter
temporal_failed_total{workflow_type="made-up-1",reason="x"} 2
temporal_failed_total{workflow_type="topup",reason="x"} 1
temporal_failed_total{workflow_type="made-\\"up\\" 2",reason="x"} 3
# HELP temporal_seconds Time
# TYPE temporal_seconds histogram
temporal_seconds_bucket{activity_type="nothing",workflow_type="topup",le="0.1"} 1
temporal_seconds_bucket{activity_type="nothing",workflow_type="topup",le="+Inf"} 4
temporal_seconds_bucket{activity_type="none",workflow_type="topup",le="0.1"} 2
temporal_seconds_bucket{activity_type="none",workflow_type="topup",le="+Inf"} 5
# TYPE temporal_slots gauge
temporal_slots{worker_type="Workflow"} 7
`;

test('names that the release does not know are one series, added up, where their metric stands', () => {
  expect(boundSeries(text)).toBe(`# HELP temporal_failed_total Failures
# TYPE temporal_failed_total counter
temporal_failed_total{workflow_type="topup",reason="x"} 1
temporal_failed_total{workflow_type="other",reason="x"} 5
# HELP temporal_seconds Time
# TYPE temporal_seconds histogram
temporal_seconds_bucket{activity_type="other",workflow_type="topup",le="0.1"} 3
temporal_seconds_bucket{activity_type="other",workflow_type="topup",le="+Inf"} 9
# TYPE temporal_slots gauge
temporal_slots{worker_type="Workflow"} 7
`);
});

test('known names stay as they are', () => {
  const known = 'voucher_service_workflow_updates_total{update="redeem",outcome="done"} 1\n';
  expect(boundSeries(known)).toBe(known);
});
