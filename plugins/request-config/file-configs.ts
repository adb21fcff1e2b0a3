import type { Host, RequestContext, Resolution } from 'portcullis/sdk';
import { inlineConfig, namesProvider, overridesKey, overridesOf, slugOf } from './headers.ts';
import { Remembered } from './remembered.ts';
import { unsaved } from './unsaved.ts';

/** Finds the configs of callers of the operator's file: the request's, the key's, or the default. */
export function fileConfigs(host: Host): (request: RequestContext) => Resolution {
  const configs = host.file('configs');
  const fallback = host.defaultConfig();
  const remembered = new Remembered(2000);

  const resolved = (request: RequestContext, slug: string | undefined): Resolution => {
    const header = request.control('config')?.trim();
    const inline = inlineConfig(header);
    const chosen = namesProvider(request)
      ? undefined
      : (request.principal.config ?? (slug === undefined ? fallback : undefined));
    const name = inline === undefined ? (header ?? chosen) : undefined;
    if (name === undefined) return unsaved(request, inline, slug);
    const config = Object.hasOwn(configs, name) ? configs[name] : undefined;
    const overrides = overridesOf(request, config, undefined);
    return { config: name, ...(Object.keys(overrides).length === 0 ? {} : { overrides }) };
  };
  return (request) => {
    const slug = slugOf(request);
    const config = request.control('config');
    const key = `${slug ?? ''}\n${request.principal.config ?? ''}\n${config === undefined ? '' : `=${config}`}${overridesKey(request)}`;
    return remembered.get(key) ?? remembered.keep(key, resolved(request, slug));
  };
}
