import { asObject, asString, type CheckHost, callJson, GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { type AwsKeys, signed } from './sign.ts';

type Asking = Pick<CheckHost<Credentials>, 'credentials' | 'fetch' | 'now'>;

/** One call. Undefined: the texts are more than the account may send at once. */
export async function apply(
  host: Asking,
  keys: AwsKeys,
  path: string,
  body: JsonObject,
): Promise<JsonObject | undefined> {
  const region = host.credentials.awsRegion;
  const url = `https://bedrock-runtime.${region}.amazonaws.com/${path}`;
  const unsigned = { method: 'POST', url, body: JSON.stringify(body), service: 'bedrock', region, now: host.now() };
  let tooLarge = false;
  const fetch: Asking['fetch'] = async (target, request) => {
    const reply = await host.fetch(target, request);
    tooLarge = (reply.status === 400 || reply.status === 429) && complainsOfSize(reply.body);
    return reply;
  };
  const asked = callJson({ fetch }, { vendor: 'Amazon Bedrock', url, headers: signed(unsigned, keys), body });
  const reply = await asked.catch((cause: unknown) => {
    if (tooLarge) return undefined;
    throw cause;
  });
  if (reply === undefined || reply.action === 'NONE' || reply.action === 'GUARDRAIL_INTERVENED') return reply;
  throw new GatewayError('check_failed', 'Amazon Bedrock answered without an action.');
}

/** Only the words tell a text that is too large from a call that is wrong, or one too many: the statuses are the same. */
function complainsOfSize(body: Uint8Array): boolean {
  const { message, Message } = asObject(parseJson(new TextDecoder().decode(body))) ?? {};
  const said = asString(message ?? Message) ?? '';
  return /text unit|(input|content) size|too (long|large)|exceeds the maximum/i.test(said);
}
