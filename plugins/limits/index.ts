import { GatewayError, plugin, schema } from 'portcullis/sdk';
import { endedAlertsJob } from './alerts/ended-alerts.ts';
import { alertJob } from './alerts/job.ts';
import { alertReactions } from './alerts/reactions.ts';
import { enforcement } from './enforce/hooks.ts';
import { loadPolicies } from './records/loader.ts';
import { ratePolicies } from './records/rate-resource.ts';
import { migrations } from './records/tables.ts';
import { usagePolicies } from './records/usage-resource.ts';

const config = schema.Object(
  {
    unpriced: schema.Optional(
      schema.Unsafe<'allow' | 'deny'>({
        type: 'string',
        enum: ['allow', 'deny'],
        description: 'Whether models without a known price may be used under a cost limit. Default: LIMITS_UNPRICED.',
      }),
    ),
    standard_output: schema.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 256,
      description: 'Tokens that a request is expected to make a model write, where it does not bound them.',
    }),
  },
  { additionalProperties: false },
);

const variable = 'LIMITS_UNPRICED';

export default plugin({
  config,
  migrations,
  setup: (settings, host) =>
    enforcement(host, {
      unpriced: settings.unpriced ?? unpricedOf(host.env(variable)),
      standardOutput: settings.standard_output,
    }),
  control: (host) => ({
    resources: [usagePolicies(host), ratePolicies],
    loaders: { limitPolicies: loadPolicies },
    reactions: alertReactions,
    jobs: [alertJob(host), endedAlertsJob(host)],
  }),
});

function unpricedOf(value: string | undefined): 'allow' | 'deny' {
  const given = value?.toLowerCase() ?? 'allow';
  if (given === 'allow' || given === 'deny') return given;
  throw new GatewayError('invalid_config', `${variable} must be allow or deny.`, { param: variable });
}
