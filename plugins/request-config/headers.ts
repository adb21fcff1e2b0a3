import {
  asObject,
  asString,
  GatewayError,
  type Json,
  type JsonObject,
  parseJson,
  type RequestContext,
} from 'portcullis/sdk';

/** Timers of Node fire at once beyond this. */
const longestMs = 2_147_483_647;

/** The headers that change a config, whichever it is; requests that agree in them share one resolution. */
const overriding = ['provider', 'virtual-key', 'custom-host', 'request-timeout', 'forward-headers'] as const;

export type Fields = { readonly [field: string]: Json };

/** What the headers set over a config's own fields. `slug`: the provider that the model names, where that counts. */
export function overridesOf(request: RequestContext, config: JsonObject | undefined, slug: string | undefined): Fields {
  const routed =
    config !== undefined && ['provider', 'virtual_key', 'targets'].some((field) => config[field] !== undefined);
  return {
    ...(routed ? {} : targetOf(request, slug)),
    ...hostOf(request),
    ...timeoutOf(request),
    ...forwardedOf(request),
  };
}

/** Equal for requests that get equal overrides for one config. No header holds a line break, so lines cannot be mixed up. */
export function overridesKey(request: RequestContext): string {
  let key = '';
  for (const name of overriding) {
    const value = request.control(name);
    key += value === undefined ? '\n' : `\n=${value}`;
  }
  return key;
}

export function namesProvider(request: RequestContext): boolean {
  return request.control('provider') !== undefined || request.control('virtual-key') !== undefined;
}

/** The config header where it holds JSON. */
export function inlineConfig(header: string | undefined): JsonObject | undefined {
  if (header?.startsWith('{') !== true) return undefined;
  const config = asObject(parseJson(header));
  if (config !== undefined) return config;
  throw new GatewayError(
    'invalid_config',
    'Invalid config passed. You need to pass a valid json, or the name of a saved config.',
    { param: 'x-gw-config' },
  );
}

/** `@slug/model` names a provider where no header does. */
export function slugOf(request: RequestContext): string | undefined {
  const model = asString(request.body.model);
  const slash = model?.startsWith('@') === true ? model.indexOf('/') : -1;
  return model === undefined || slash < 2 ? undefined : model.slice(0, slash);
}

function targetOf(request: RequestContext, slug: string | undefined): Fields {
  const virtualKey = request.control('virtual-key');
  if (virtualKey !== undefined) return { virtual_key: virtualKey };
  const name = request.control('provider') ?? slug;
  return name === undefined ? {} : { provider: name };
}

function hostOf(request: RequestContext): Fields {
  const host = request.control('custom-host');
  return host === undefined ? {} : { custom_host: host };
}

function timeoutOf(request: RequestContext): Fields {
  const value = request.control('request-timeout');
  if (value === undefined) return {};
  const ms = Number(value);
  if (Number.isInteger(ms) && ms > 0 && ms <= longestMs) return { request_timeout: ms };
  throw new GatewayError(
    'bad_request',
    'The request timeout must be a whole number of milliseconds from 1 to 2147483647.',
    {
      param: 'x-gw-request-timeout',
    },
  );
}

function forwardedOf(request: RequestContext): Fields {
  const value = request.control('forward-headers');
  if (value === undefined) return {};
  const headers = value
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  if (!headers.some((name) => name.endsWith('-forward-headers'))) return { forward_headers: headers };
  throw new GatewayError('bad_request', 'The forward-headers header may not name itself.', {
    param: 'x-gw-forward-headers',
  });
}
