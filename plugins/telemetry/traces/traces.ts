import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Host, RequestRecord } from 'portcullis/sdk';
import { Outbox } from './outbox.ts';
import { createPost } from './post.ts';
import { createSampler } from './sampler.ts';
import type { TraceSettings } from './settings.ts';
import { spansOf } from './spans.ts';

export interface Traces {
  /** Hands over a finished request, unless its trace is not sampled. Never waits, never throws. */
  add(record: RequestRecord): void;
  close(): Promise<void>;
}

const serialisers = { 'http/protobuf': ProtobufTraceSerializer, 'http/json': JsonTraceSerializer } as const;
/** A collector that is away is told once in so many milliseconds; the metric tells the rest. */
const warnEveryMs = 60_000;

/** Exports requests as traces over OTLP. Where the collector is slow or away, traces are lost, and nothing else. */
export function createTraces(settings: TraceSettings, host: Pick<Host, 'log' | 'metrics' | 'now'>): Traces {
  const { log, metrics, now } = host;
  const serialiser = serialisers[settings.protocol];
  const resource = resourceFromAttributes(settings.resource);
  const post = createPost(settings);
  const isSampled = createSampler(settings.sampling);
  const requests = metrics.counter('portcullis_traced_requests_total', 'Requests by what became of their traces', [
    'ending',
  ]);
  const rejected = metrics.counter('portcullis_trace_spans_rejected_total', 'Spans that the collector refused', []);
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (reason: string) => {
    if (now() - warnedAt < warnEveryMs) return;
    warnedAt = now();
    log.warn('traces_lost', { reason });
  };

  const outbox = new Outbox<RequestRecord>({
    ended: (ending, count) => {
      requests.add([ending], count);
      if (ending === 'queue_full') warn('too many wait for the collector');
    },
    send: async (batch) => {
      try {
        const body = serialiser.serializeRequest(batch.flatMap((record) => spansOf(record, resource)));
        const reply = body === undefined ? undefined : await post.send(body);
        if (reply === undefined) {
          warn('the collector does not take them');
          return 'failed';
        }
        const { partialSuccess } = reply.length === 0 ? {} : serialiser.deserializeResponse(reply);
        rejected.add([], Number(partialSuccess?.rejectedSpans ?? 0));
        return 'exported';
      } catch (error) {
        warn(error instanceof Error ? error.message : 'not an error');
        return 'failed';
      }
    },
  });
  metrics.gauge('portcullis_trace_queue_depth', 'Requests whose traces wait to be exported', [], () => [
    { labels: [], value: outbox.waiting },
  ]);
  return {
    add: (record) => {
      if (isSampled(record)) outbox.add(record);
    },
    close: async () => {
      await outbox.close();
      await post.close();
    },
  };
}
