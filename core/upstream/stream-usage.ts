import {
  askingUsage,
  asObject,
  type CallFacts,
  type Dialect,
  type EndpointSpec,
  type JsonObject,
} from 'portcullis/sdk';

/** The formats whose streams tell their token counts only when they are asked to. */
function tellsWhenAsked(dialect: Dialect | undefined): boolean {
  return dialect?.name === 'chat' || dialect?.name === 'completions';
}

function isAsked({ stream_options: options }: JsonObject): boolean {
  return asObject(options)?.include_usage === true;
}

/** Whether the provider must be asked for the counts of its stream. */
export function asksUsage(dialect: Dialect, spec: EndpointSpec, body: JsonObject, facts: CallFacts): boolean {
  if (!facts.stream || !tellsWhenAsked(dialect) || isAsked(body)) return false;
  const { streamUsage = 'asked' } = spec;
  return (typeof streamUsage === 'function' ? streamUsage(body, facts) : streamUsage) === 'asked';
}

/** Whether a client has not asked for the counts of its stream, which may be told all the same. */
export function hidesUsage(client: Dialect | undefined, body: JsonObject): boolean {
  return tellsWhenAsked(client) && !isAsked(body);
}

const question = Buffer.from('{"stream_options":{"include_usage":true},');
const openBrace = 0x7b;

/** The client's own bytes with the question in front of them: prompt caches of providers depend on the rest. */
export function askingBytes(raw: Uint8Array, body: JsonObject): Uint8Array | string {
  if (body.stream_options !== undefined) return JSON.stringify(askingUsage(body));
  return Buffer.concat([question, raw.subarray(raw.indexOf(openBrace) + 1)]);
}
