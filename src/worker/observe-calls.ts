import type { ActivityDependencies } from '../../activities/dependencies.ts';
import type { LabelsOf } from '../process/metrics/definitions.ts';
import type { ProviderCall, ProviderCallOutcome } from '../process/metrics/label-values.ts';
import type { Metrics } from '../process/metrics/metrics.ts';
import { tracing } from '../tracing/tracing.ts';

/** Makes a call, and counts it with its outcome and its time. */
type Observe = <Result extends { readonly kind: ProviderCallOutcome }>(
  call: ProviderCall,
  make: () => Promise<Result>,
) => Promise<Result>;

export const observerOf =
  (metrics: Metrics, provider: string): Observe =>
  async (call, make) => {
    const startedAt = performance.now();
    const note = (outcome: ProviderCallOutcome) => {
      const labels: LabelsOf<'provider_call_duration_seconds'> = { provider, call };
      metrics.count('provider_calls_total', { ...labels, outcome });
      const seconds = (performance.now() - startedAt) / 1_000;
      metrics.observe('provider_call_duration_seconds', labels, seconds);
    };
    try {
      const result = await traced(provider, call, make);
      note(result.kind);
      return result;
    } catch (error) {
      note('failed');
      throw error;
    }
  };

/** The call as a span; its outcome is one word. */
async function traced<Result extends { readonly kind: ProviderCallOutcome }>(
  provider: string,
  call: ProviderCall,
  make: () => Promise<Result>,
): Promise<Result> {
  const traces = tracing();
  if (!traces) return make();
  const name = `${provider} ${call}`;
  return traces.inSpan({ name, kind: 'client', attributes: { provider } }, async (span) => {
    const result = await make();
    span.set({ outcome: result.kind });
    return result;
  });
}

/** The caller of webhooks, with its calls counted: a receiver that answers otherwise has refused. */
export function observedWebhooks(
  caller: ActivityDependencies['webhookCaller'],
  metrics: Metrics,
): ActivityDependencies['webhookCaller'] {
  const observe = observerOf(metrics, 'webhook');
  return {
    async call(message) {
      const { answer } = await observe('deliver', async () => {
        const answer = await caller.call(message);
        const refused = answer.status === null ? 'unknown' : 'refused';
        return { kind: answer.isDelivered ? 'delivered' : refused, answer };
      });
      return answer;
    },
  };
}
