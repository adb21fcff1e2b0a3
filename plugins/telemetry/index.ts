import { plugin, schema } from 'portcullis/sdk';
import { ownerLabels } from './metrics/owner-labels.ts';
import { requestMetrics } from './metrics/request-metrics.ts';
import { metricSettingsOf } from './metrics/settings.ts';
import { traceSettingsOf } from './traces/settings.ts';
import { variablesOf } from './variables.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: async (_, host) => {
    const variables = variablesOf(host);
    const metricSettings = metricSettingsOf(variables);
    const traceSettings = traceSettingsOf(variables);
    const count = requestMetrics(host.metrics, metricSettings, ownerLabels(metricSettings));
    // The packages of OpenTelemetry are large: only who wants traces loads them.
    const traces =
      traceSettings === undefined ? undefined : (await import('./traces/traces.ts')).createTraces(traceSettings, host);
    return {
      log: (record) => {
        count(record);
        traces?.add(record);
      },
      close: () => traces?.close(),
    };
  },
});
