import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { compactVerify, importJWK } from 'jose';
import { asObject, asString, GatewayError, type Json, parseJson } from 'portcullis/sdk';
import { type CatalogueFile, catalogueFiles, digestsOf } from './files.ts';
import { type Catalogue, overlaid, type ProviderPrices } from './prices.ts';
import { readProvider } from './read-prices.ts';

export interface CataloguePlace {
  readonly folder: string;
  readonly signature: string;
  readonly publicKey: string;
}

/** Where the catalogue of this plugin stands. */
export const ownCatalogue: CataloguePlace = {
  folder: `${import.meta.dirname}/catalogue`,
  signature: `${import.meta.dirname}/catalogue.sig`,
  publicKey: `${import.meta.dirname}/public-key.json`,
};

/**
 * The signed catalogue. Prices decide what people are charged, so a file that was altered, added or taken away is refused.
 * @throws GatewayError `invalid_config`
 */
export async function loadCatalogue(place: CataloguePlace = ownCatalogue): Promise<Catalogue> {
  const files = await catalogueFiles(place.folder);
  await checkSignature(place, files);
  const parsed = new Map(files.map(({ name, text }) => [name.replace(/\.json$/, ''), parseJson(text)]));
  const prices = new Map<string, ProviderPrices>();
  for (const [provider, json] of parsed) prices.set(provider, listOf(provider, json, parsed, place.folder));
  return prices;
}

/** The list of a provider; one that resells the models of another at its prices has those, and its own over them. */
function listOf(
  provider: string,
  json: Json | undefined,
  files: ReadonlyMap<string, Json | undefined>,
  folder: string,
): ProviderPrices {
  const file = asObject(json);
  const source = asString(file?.same_as);
  const own = readProvider(source === undefined ? json : { models: {}, ...file }, `${folder}/${provider}.json`);
  if (source === undefined) return own;
  const resold = readProvider(files.get(source), `${folder}/${source}.json`);
  return overlaid(new Map([[provider, resold]]), new Map([[provider, own]])).get(provider) ?? own;
}

async function checkSignature(place: CataloguePlace, files: readonly CatalogueFile[]): Promise<void> {
  try {
    const key = await importJWK(JSON.parse(await readFile(place.publicKey, 'utf8')), 'EdDSA');
    const { payload } = await compactVerify((await readFile(place.signature, 'utf8')).trim(), key, {
      algorithms: ['EdDSA'],
    });
    const signed = asObject(asObject(parseJson(Buffer.from(payload).toString('utf8')))?.files);
    if (isDeepStrictEqual(signed, digestsOf(files))) return;
  } catch (cause) {
    refuse(place, cause);
  }
  refuse(place);
}

function refuse({ folder }: CataloguePlace, cause?: unknown): never {
  throw new GatewayError(
    'invalid_config',
    `The price catalogue in ${folder} is not as it was signed. Restore its files, or sign them anew.`,
    cause === undefined ? {} : { cause },
  );
}

/**
 * The operator's own prices, in the form of the catalogue: `{ "<provider>": { "models": { "<model>": [prices] }, "aliases": {},
 * "tools": {}, "names": [] } }`, a price being `{ "effective_from": "2026-01-31", "request_token": 0.0001, ... }` in US cents,
 * with `additional_units`, `per_request`, `image`, `long_context`, `tiers` and `regions`. Nobody has to sign them: whoever may
 * set the variable may do anything here.
 * @throws GatewayError `invalid_config`
 */
export async function loadOperatorPrices(path: string): Promise<Catalogue> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new GatewayError('invalid_config', `MODEL_PRICING_PATH names ${path}, which cannot be read.`, {
      param: 'MODEL_PRICING_PATH',
      cause,
    });
  });
  const file = asObject(parseJson(text));
  if (file === undefined) {
    throw new GatewayError('invalid_config', `${path} must be a JSON object with prices by provider.`, {
      param: 'MODEL_PRICING_PATH',
    });
  }
  return new Map(
    Object.entries(file).map(([provider, prices]) => [provider, readProvider(prices, `${path}: ${provider}`)]),
  );
}
