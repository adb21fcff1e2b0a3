import { plugin, schema } from 'portcullis/sdk';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: (_, host) => ({
    log: (record) => {
      host.log.info('request', {
        id: record.id,
        trace: record.traceId === record.id ? undefined : record.traceId,
        method: record.method,
        path: record.path,
        status: record.status,
        ms: record.durationMs,
        principal: record.principal,
        organisation: record.organisationId,
        workspace: record.workspaceId,
        key: record.keyId,
        config: record.configSlug,
        config_id: record.configId === record.configSlug ? undefined : record.configId,
        provider_slug: record.providerSlug,
        provider: record.provider,
        model: record.model,
        target: record.target,
        retries: record.retries === 0 ? undefined : record.retries,
        stream: record.stream || undefined,
        input_tokens: record.usage?.input,
        output_tokens: record.usage?.output,
        error: record.error,
      });
    },
  }),
});
