import {
  asNumber,
  asObject,
  asString,
  type CheckHost,
  callJson,
  compact,
  type Edit,
  editsBetween,
  GatewayError,
  type JsonObject,
  type ScannedText,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

export interface Answer {
  readonly blocked: boolean;
  /** The detectors that block. */
  readonly blocking: readonly string[];
  /** What Zscaler would have masked. */
  readonly masks: readonly Edit[];
  /** Without the text: for the data of the verdict. */
  readonly scan: JsonObject;
}

/** @throws GatewayError `check_failed` where the policy was not carried out as a whole */
export async function ask(
  { index, text }: ScannedText,
  direction: 'IN' | 'OUT',
  policyId: number,
  host: CheckHost<Credentials>,
): Promise<Answer> {
  const { zscalerApiKey, cloud = 'us1' } = host.credentials;
  const reply = await callJson(host, {
    vendor: 'Zscaler AI Guard',
    url: `https://api.${cloud}.zseclipse.net/v1/detection/execute-policy`,
    headers: { authorization: `Bearer ${zscalerApiKey}` },
    body: { content: text, direction, policyId },
  });
  const action = actionOf(reply);
  const { transactionId, severity, maskedContent } = reply;
  const detectors = Object.entries(asObject(reply.detectorResponses) ?? {});
  const named = (key: string, value: boolean | string) =>
    detectors.filter(([, found]) => asObject(found)?.[key] === value).map(([name]) => name);
  return {
    blocked: action === 'BLOCK',
    blocking: named('action', 'BLOCK'),
    masks: editsBetween(index, text, asString(maskedContent) || text),
    scan: compact({
      action,
      severity: asString(severity),
      triggered: named('triggered', true),
      transactionId: asString(transactionId),
    }),
  };
}

/** The status inside the reply tells of failures behind a 200; a detector that failed has judged nothing. */
function actionOf({
  statusCode,
  action,
  detectorErrorCount,
  detectorResponses,
}: JsonObject): 'ALLOW' | 'DETECT' | 'BLOCK' {
  const status = asNumber(statusCode);
  if (status !== undefined && status !== 200)
    throw new GatewayError('check_failed', `Zscaler AI Guard could not run the policy: status ${status}.`);
  if (action === 'BLOCK') return action;
  if (action !== 'ALLOW' && action !== 'DETECT')
    throw new GatewayError('check_failed', 'Zscaler AI Guard answered without ALLOW, DETECT or BLOCK.');
  const statuses = Object.values(asObject(detectorResponses) ?? {}).map((found) => asObject(found)?.statusCode ?? 200);
  const failed = asNumber(detectorErrorCount) ?? statuses.filter((one) => one !== 200).length;
  if (failed > 0) throw new GatewayError('check_failed', `${failed} detectors of Zscaler AI Guard failed.`);
  return action;
}
