import type { TestContext } from 'node:test';
import { type ConfigFragment, saved, startGateway, type TestGateway } from '../gateway.ts';
import type { RecordedRoute } from './cases.ts';
import { startVendor, type Vendor } from './vendor.ts';

/** How the gateway reaches a vendor: the path of its API, and the header that must hold the operator's key. */
const reached: Readonly<Record<string, readonly [base: string, auth: readonly [header: string, value: string]]>> = {
  openai: ['/v1', ['authorization', 'Bearer test-key']],
  anthropic: ['/v1', ['x-api-key', 'test-key']],
  google: ['/v1beta', ['x-goog-api-key', 'test-key']],
  cohere: ['', ['authorization', 'Bearer test-key']],
  jina: ['/v1', ['authorization', 'Bearer test-key']],
  voyage: ['/v1', ['authorization', 'Bearer test-key']],
};

export interface RecordedWorld {
  readonly gateway: TestGateway;
  readonly vendors: Readonly<Record<string, Vendor>>;
}

/** A gateway with a saved provider for each vendor, under the vendor's name, beside those of the fragment; the first serves who names none. */
export async function openRecorded(
  scope: Pick<TestContext, 'after'>,
  routes: Readonly<Record<string, readonly RecordedRoute[]>>,
  fragment: ConfigFragment = {},
): Promise<RecordedWorld> {
  const vendors: Record<string, Vendor> = {};
  const providers: Record<string, ReturnType<typeof saved>> = {};
  for (const [name, known] of Object.entries(routes)) {
    const [base, auth] = reached[name] ?? ['', ['authorization', '']];
    const vendor = await startVendor(scope, auth, known);
    vendors[name] = vendor;
    providers[name] = saved(name, vendor.origin + base, { api_key: 'test-key' });
  }
  const configs = { main: { virtual_key: Object.keys(routes)[0] ?? '' } };
  const all = { configs, defaultConfig: 'main', ...fragment, providers: { ...providers, ...fragment.providers } };
  return { gateway: await startGateway(scope, all), vendors };
}

/** What an SDK gives, without the classes and the hidden fields around it. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
