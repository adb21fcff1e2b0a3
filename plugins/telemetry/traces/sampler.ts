import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import type { RequestRecord } from 'portcullis/sdk';
import { w3cTraceId } from './ids.ts';
import type { Sampling } from './settings.ts';

/** Tells whether the trace of a request is exported: the same for all requests of a trace, in every process. */
export function createSampler({
  heedsCaller,
  ratio,
}: Sampling): (record: Pick<RequestRecord, 'callersTrace' | 'traceId'>) => boolean {
  const sampler = new TraceIdRatioBasedSampler(ratio);
  return ({ callersTrace, traceId }) => {
    if (heedsCaller && callersTrace !== undefined) return callersTrace.sampled;
    if (ratio === 0 || ratio === 1) return ratio === 1;
    const { decision } = sampler.shouldSample(ROOT_CONTEXT, callersTrace?.traceId ?? w3cTraceId(traceId));
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}
