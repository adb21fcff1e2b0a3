import { asString, type ErrorCode, GatewayError, type MaybePromise } from 'portcullis/sdk';
import { holdsGatewayKey } from '../gateway-key.ts';
import type { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';

/** Where callers put a provider's credential. */
const credentialHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

/**
 * Refuses whatever a request brings inline where only saved resources are accepted: by the organisation's or the
 * workspace's setting, or by BLOCK_INLINE_CONFIG for everyone. Saved configs and saved providers may be named, and may
 * themselves hold anything. No promise unless a named provider has to be looked up.
 * @throws GatewayError for the first of: config, provider, custom host, provider URL, forwarded headers
 */
export function refuseInline(runtime: Runtime, exchange: Exchange): MaybePromise<void> {
  const { organisation, workspace } = exchange;
  exchange.savedOnly =
    runtime.config.blockInlineConfig === true ||
    organisation?.blockInlineConfig === true ||
    workspace?.blockInlineConfig === true;
  if (!exchange.savedOnly) return undefined;
  if (exchange.control('config')?.trim().startsWith('{') === true) {
    throw blocked(
      'inline_config_blocked',
      'x-gw-config',
      'a routing config in JSON: name a saved one by its id or slug',
    );
  }
  const unsaved = unsavedProvider(runtime, exchange);
  if (unsaved instanceof Promise) return unsaved.then((field) => refuseRest(runtime, exchange, field));
  return refuseRest(runtime, exchange, unsaved);
}

function refuseRest(runtime: Runtime, exchange: Exchange, unsaved: string | undefined): void {
  const own = runtime.settingHeaders.filter((name) => exchange.control(name) !== undefined);
  const field = unsaved ?? prefixed(own.find((name) => !isUrl(name))) ?? bareCredential(runtime, exchange);
  if (field !== undefined) {
    const instead = 'a provider of its own: name a saved one, as x-gw-virtual-key or as @slug';
    throw blocked('inline_provider_blocked', field, instead);
  }
  if (exchange.control('custom-host') !== undefined) {
    throw blocked('inline_custom_host_blocked', 'x-gw-custom-host', 'a custom host');
  }
  const url = prefixed(own.find(isUrl)) ?? proxiedUrl(exchange);
  if (url !== undefined) throw blocked('inline_provider_url_blocked', url, 'a provider URL');
  if (exchange.control('forward-headers') !== undefined) {
    throw blocked('inline_forward_headers_blocked', 'x-gw-forward-headers', 'headers to forward');
  }
}

function blocked(code: ErrorCode, field: string, what: string): GatewayError {
  return new GatewayError(code, `Only saved resources are accepted here, and the request brings ${what}.`, {
    param: field,
  });
}

/** The field that names a provider which is not saved. */
function unsavedProvider(runtime: Runtime, exchange: Exchange): MaybePromise<string | undefined> {
  const named = exchange.control('provider');
  if (named !== undefined && !named.startsWith('@')) return 'x-gw-provider';
  const inHeader = named === undefined ? true : runtime.settings.isSaved(named.slice(1), exchange);
  const afterHeader = (isSaved: boolean) => (isSaved ? unsavedInModel(runtime, exchange) : 'x-gw-provider');
  return inHeader instanceof Promise ? inHeader.then(afterHeader) : afterHeader(inHeader);
}

function unsavedInModel(runtime: Runtime, exchange: Exchange): MaybePromise<'model' | undefined> {
  const slug = slugInModel(exchange);
  const inModel = slug === undefined ? true : runtime.settings.isSaved(slug, exchange);
  const field = (isSaved: boolean) => (isSaved ? undefined : 'model');
  return inModel instanceof Promise ? inModel.then(field) : field(inModel);
}

function slugInModel({ body }: Exchange): string | undefined {
  const model = asString(body.model);
  const slash = model?.startsWith('@') === true ? model.indexOf('/') : -1;
  return model === undefined || slash === -1 ? undefined : model.slice(1, slash);
}

/** A provider's credential without anything saved that it could go with. SDKs send one in any case, so it is ignored elsewhere. */
function bareCredential({ config }: Runtime, exchange: Exchange): string | undefined {
  const { principal, organisation, workspace, headers } = exchange;
  const standing =
    principal.access === undefined
      ? config.defaultConfig
      : (workspace?.defaults.config ?? organisation?.defaults.config);
  const named =
    ['config', 'provider', 'virtual-key'].some((name) => exchange.control(name) !== undefined) ||
    slugInModel(exchange) !== undefined ||
    exchange.endpoint === 'promptComplete';
  if (named || principal.config !== undefined || standing !== undefined) return undefined;
  return credentialHeaders.find((name) => headers[name] !== undefined && !holdsGatewayKey(name, headers, principal));
}

function isUrl(name: string): boolean {
  return name.endsWith('-url') || name.endsWith('-host');
}

function prefixed(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `x-gw-${name}`;
}

/** `/v1/proxy/https://…` asks for a place of its own. */
function proxiedUrl({ endpoint, params }: Exchange): string | undefined {
  return endpoint === 'proxy' && /^[a-z][a-z0-9+.-]*:\/|^\//i.test(params.path ?? '') ? 'path' : undefined;
}
