import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { compactVerify, importJWK } from 'jose';
import { asObject, asString, GatewayError, parseJson } from 'portcullis/sdk';
import { type CatalogueFile, catalogueFiles, digestsOf } from './files.ts';
import type { Catalogue, ProviderPrices } from './prices.ts';
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
  for (const [provider, json] of parsed) {
    // A provider that resells the models of another at its prices.
    const source = asString(asObject(json)?.same_as) ?? provider;
    prices.set(provider, readProvider(parsed.get(source), `${place.folder}/${source}.json`));
  }
  return prices;
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
 * The operator's own prices: `{ "<provider>": { "models": { "<model>": [prices] }, "aliases": {} } }`. Nobody has to sign
 * them: whoever may set the variable may do anything here.
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
