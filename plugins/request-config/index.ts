import {
  asObject,
  asString,
  GatewayError,
  type Json,
  type JsonObject,
  parseJson,
  plugin,
  type RequestContext,
  type Resolution,
  schema,
} from 'portcullis/sdk';

const maxRemembered = 2000;
/** Timers of Node fire at once beyond this. */
const longestMs = 2_147_483_647;

/** The headers that say where a request goes; requests that agree in all of them share one resolution. */
const names = ['config', 'provider', 'virtual-key', 'custom-host', 'request-timeout', 'forward-headers'] as const;

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: (_, host) => {
    const configs = host.file('configs');
    const fallback = host.defaultConfig();
    const remembered = new Map<string, Resolution>();
    return {
      resolve: (request) => {
        const slug = slugOf(request);
        const key = keyOf(request, slug);
        const known = remembered.get(key);
        if (known !== undefined) return known;
        const resolution = resolutionOf(request, slug, configs, fallback);
        if (remembered.size >= maxRemembered) remembered.clear();
        remembered.set(key, resolution);
        return resolution;
      },
    };
  },
});

function resolutionOf(
  request: RequestContext,
  slug: string | undefined,
  configs: Readonly<Record<string, JsonObject>>,
  fallback: string | undefined,
): Resolution {
  const header = request.control('config')?.trim();
  const provider = request.control('provider');
  const virtualKey = request.control('virtual-key');
  const inline = header?.startsWith('{') === true ? parsedConfig(header) : undefined;
  const chosen =
    provider === undefined && virtualKey === undefined
      ? (request.principal.config ?? (slug === undefined ? fallback : undefined))
      : undefined;
  const name = inline === undefined ? (header ?? chosen) : undefined;
  const config = inline ?? (name !== undefined && Object.hasOwn(configs, name) ? configs[name] : undefined);
  const routed =
    config !== undefined && ['provider', 'virtual_key', 'targets'].some((field) => config[field] !== undefined);
  const overrides = {
    ...(routed ? {} : targetOf(provider, virtualKey, name === undefined ? slug : undefined)),
    ...hostOf(request),
    ...timeoutOf(request),
    ...forwardedOf(request),
  };
  const changed = Object.keys(overrides).length > 0;
  // A config that is no more than a provider's name is the caller's own, whichever header it came in.
  if (config === undefined && name === undefined) return changed ? { config: overrides, inline: true } : {};
  return {
    config: inline ?? (name as string),
    ...(inline === undefined ? {} : { inline: true }),
    ...(changed ? { overrides } : {}),
  };
}

function parsedConfig(header: string): JsonObject {
  const config = asObject(parseJson(header));
  if (config !== undefined) return config;
  throw new GatewayError(
    'invalid_config',
    'Invalid config passed. You need to pass a valid json, or the name of a saved config.',
    { param: 'x-gw-config' },
  );
}

/** No header holds a line break, so the lines cannot be mixed up. */
function keyOf(request: RequestContext, slug: string | undefined): string {
  let key = `${slug ?? ''}\n${request.principal.config ?? ''}`;
  for (const name of names) {
    const value = request.control(name);
    key += value === undefined ? '\n' : `\n=${value}`;
  }
  return key;
}

type Fields = { readonly [field: string]: Json };

function targetOf(provider: string | undefined, virtualKey: string | undefined, slug: string | undefined): Fields {
  if (virtualKey !== undefined) return { virtual_key: virtualKey };
  const name = provider ?? slug;
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

/** `@slug/model` names a provider where no header does. */
function slugOf(request: RequestContext): string | undefined {
  const model = asString(request.body.model);
  const slash = model?.startsWith('@') === true ? model.indexOf('/') : -1;
  return model === undefined || slash < 2 ? undefined : model.slice(0, slash);
}
