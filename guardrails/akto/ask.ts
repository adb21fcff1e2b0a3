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

const paths: Readonly<Record<CheckPhase, string>> = {
  beforeRequest: '/api/validate/request',
  afterRequest: '/api/validate/response',
};

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
  const base = baseUrl(apiDomain.includes('://') ? apiDomain : `https://${apiDomain}`, '', 'apiDomain');
  const reply = await callJson(host, {
    vendor: 'Akto',
    url: `${base}${paths[phase]}`,
    headers: { authorization: `Bearer ${apiKey}` },
    body: { payload: text },
  });
  const allowed = asBoolean(either(reply, 'allowed'));
  // Akto says so when its own engine was out of reach and it let the text through unread.
  if (allowed === undefined || reply.failOpen === true)
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
      reason: asString(either(reply, 'reason'))?.slice(0, 300),
      behaviour: asString(either(reply, 'behaviour')),
    }),
  };
}

/** Deployments differ in whether fields begin with a capital letter. */
function either(reply: JsonObject, name: string) {
  return reply[`${name.charAt(0).toUpperCase()}${name.slice(1)}`] ?? reply[name];
}
