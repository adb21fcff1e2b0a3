import {
  asBoolean,
  asString,
  baseUrl,
  type CheckHost,
  type CheckPhase,
  callJson,
  compact,
  type Edit,
  editsBetween,
  GatewayError,
  type JsonObject,
  type ScannedText,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

const endpoints: Readonly<Record<CheckPhase, { readonly path: string; readonly member: string }>> = {
  beforeRequest: { path: '/api/validate/request', member: 'requestPayload' },
  afterRequest: { path: '/api/validate/response', member: 'responsePayload' },
};
/** Akto allows what it has found nothing in to look at, and says so. */
const unread = /^No (request|response) body provided/;

export interface Answer {
  readonly allowed: boolean;
  /** What Akto has redacted. */
  readonly changes: readonly Edit[];
  /** Without the text: for the data of the verdict. */
  readonly scan: JsonObject;
}

/** @throws GatewayError `check_failed` where Akto gives no verdict of its own */
export async function ask(
  { index, text }: ScannedText,
  phase: CheckPhase,
  host: CheckHost<Credentials>,
): Promise<Answer> {
  const { apiKey, apiDomain } = host.credentials;
  const { path, member } = endpoints[phase];
  const base = baseUrl(apiDomain.includes('://') ? apiDomain : `https://${apiDomain}`, '', 'apiDomain');
  const reply = await callJson(host, {
    vendor: 'Akto',
    url: `${base}${path}`,
    headers: { authorization: `Bearer ${apiKey}` },
    // Deployments read the text where their version has it: older ones all in `payload`.
    body: { [member]: text, payload: text },
  });
  const allowed = asBoolean(either(reply, 'allowed'));
  const reason = asString(either(reply, 'reason'));
  // `failOpen` says that its own engine was out of reach, and that it let the text through unread.
  if (allowed === undefined || either(reply, 'failOpen') === true || unread.test(reason ?? ''))
    throw new GatewayError('check_failed', 'Akto answered without a verdict.');
  const modified = either(reply, 'modified') === true;
  const redacted = modified ? asString(either(reply, 'modifiedPayload')) : text;
  if (redacted === undefined) throw new GatewayError('check_failed', 'Akto answered without the redacted text.');
  return {
    allowed,
    changes: editsBetween(index, text, redacted),
    scan: compact({
      allowed,
      modified,
      reason: reason?.slice(0, 300),
      behaviour: asString(either(reply, 'behaviour')),
    }),
  };
}

/** Deployments differ in whether fields begin with a capital letter. */
function either(reply: JsonObject, name: string) {
  return reply[`${name.charAt(0).toUpperCase()}${name.slice(1)}`] ?? reply[name];
}
