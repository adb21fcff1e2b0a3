import { plugin, schema } from 'portcullis/sdk';
import { AlikeLines } from './alike-lines.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: (_, host) => {
    const lines = new AlikeLines(host.log);
    return {
      log: (record) => {
        lines.info('request', record, {
          id: record.id,
          trace: record.traceId === record.id ? undefined : record.traceId,
          ms: record.durationMs,
          retries: record.retries === 0 ? undefined : record.retries,
          stream: record.stream || undefined,
          input_tokens: record.usage?.input,
          output_tokens: record.usage?.output,
          error: record.error,
        });
      },
    };
  },
});
