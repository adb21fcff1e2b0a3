import {
  asObject,
  asString,
  baseUrl,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  compact,
  GatewayError,
  type Json,
  type JsonObject,
  type Static,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

const standard = 'https://service.api.aisecurity.paloaltonetworks.com';

const name = () => schema.Optional(schema.String({ minLength: 1, maxLength: 255 }));
const config = schema.Object(
  { profile_name: name(), profile_id: name(), ai_model: name(), app_user: name(), app_name: name() },
  { additionalProperties: false },
);

/** Source: https://pan.dev/prisma-airs/api/airuntimesecurity/scan-sync-request */
export default check({
  title: 'Prisma AIRS intercept',
  description: 'Fails what the security profile blocks. Without a profile, that of the API key counts.',
  config,
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  async run(input, parameters, host: CheckHost<Credentials>) {
    if (input.text.trim() === '') return { pass: true };
    const { AIRS_API_KEY, apiBase } = host.credentials;
    const url = `${baseUrl(apiBase, standard, 'apiBase')}/v1/scan/sync/request`;
    const headers = { 'x-pan-token': AIRS_API_KEY };
    const reply = await callJson(host, { vendor: 'Prisma AIRS', url, headers, body: bodyOf(input, parameters) });
    const { action, category } = reply;
    if (action !== 'allow' && action !== 'block')
      throw new GatewayError('check_failed', 'Prisma AIRS answered without an action.');
    // An "allow" of detectors that broke or ran out of time is no verdict.
    const broken = reply.error === true || reply.timeout === true || category === 'error' || category === 'timeout';
    if (action === 'allow' && broken)
      throw new GatewayError('check_failed', 'Some detectors of Prisma AIRS did not come to a verdict.');
    const detected = [...detectedIn(reply.prompt_detected), ...detectedIn(reply.response_detected)];
    return {
      pass: action === 'allow',
      ...(action === 'allow' ? {} : { why: 'The security profile of Prisma AIRS blocks this.' }),
      data: compact({
        action,
        category: asString(category),
        detected,
        scan_id: asString(reply.scan_id),
        report_id: asString(reply.report_id),
        profile_name: asString(reply.profile_name),
      }),
    };
  },
});

function bodyOf({ phase, text, model, traceId }: CheckInput, parameters: Static<typeof config>): JsonObject {
  const { profile_name, profile_id, ai_model = model, app_user, app_name = 'Portcullis' } = parameters;
  const profile = compact({ profile_id, profile_name });
  return compact({
    // What a prompt and its reply have in common on the vendor's side.
    tr_id: traceId,
    ai_profile: Object.keys(profile).length === 0 ? undefined : profile,
    metadata: compact({ app_name, app_user, ai_model: ai_model === '' ? undefined : ai_model }),
    contents: [phase === 'beforeRequest' ? { prompt: text } : { response: text }],
  });
}

function detectedIn(flags: Json | undefined): readonly string[] {
  return Object.entries(asObject(flags) ?? {}).flatMap(([detector, found]) => (found === true ? [detector] : []));
}
