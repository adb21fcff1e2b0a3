import { encodeModels, type Outcome } from 'portcullis/sdk';
import type { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';

/** Headers that say where a request goes: with one of them, a listing of models is meant for that provider. */
const signals = ['provider', 'virtual-key', 'config'];

/** Whether a listing is meant for a provider rather than for the gateway; two headers force the gateway's own list. */
export function asksProvider(exchange: Exchange): boolean {
  if (exchange.control('fetch-integrated-models') === 'true' || exchange.control('models-endpoint') === 'true')
    return false;
  return signals.some((name) => exchange.control(name) !== undefined);
}

/** The models that the operator has named at the saved providers, as `@slug/model`. */
export function integratedModels({ config }: Runtime): Outcome {
  const entries = Object.entries(config.providers).flatMap(([slug, saved]) =>
    saved.models.map((model) => ({ id: `@${slug}/${model}`, ownedBy: saved.provider })),
  );
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(encodeModels(entries))) },
    provider: undefined,
    model: undefined,
    path: '',
    retries: 0,
    usage: () => undefined,
  };
}
