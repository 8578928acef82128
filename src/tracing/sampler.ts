import type { Sampler } from './tracer.ts';

/** The samplers of the OpenTelemetry specification that `OTEL_TRACES_SAMPLER` names. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof samplerNames)[number];

/** The share of all traces by their ids, so that every process decides the same about one. */
const isWithin = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;

/** The sampler of a name; one based on the parent follows the caller where there is one. */
export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const root = name.replace('parentbased_', '');
  const decide = (traceId: string): boolean =>
    root === 'traceidratio' ? isWithin(traceId, ratio) : root === 'always_on';
  return name.startsWith('parentbased_')
    ? (traceId, parent) => parent?.isSampled ?? decide(traceId)
    : decide;
}
