import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Access, allScopes, asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import standardPlugins from '../../core/control/default.json' with { type: 'json' };
import type { ControlSettings } from '../../core/control/settings.ts';
import { createGateway, type Gateway, type GatewayOverrides } from '../../core/gateway.ts';
import type { StoreOptions } from '../../core/store/store.ts';
import { type ConfigFragment, type LogLine, type Reply, testConfig } from './gateway.ts';
import { recordingLog } from './recording-log.ts';

/** Who a call comes from, as the plugin test-identity believes it; left out: all permissions, in the first organisation. */
export interface TestCaller {
  readonly organisationId?: string;
  readonly workspaceId?: string;
  readonly scopes?: readonly string[];
  readonly userId?: string;
  readonly keyId?: string;
  readonly keyType?: Access['keyType'];
  readonly organisationRole?: Access['organisationRole'];
  readonly workspaceRole?: 'admin' | 'manager' | 'member';
}

export interface CallOptions {
  readonly body?: JsonObject;
  /** An API key, session or token; it takes the place of `as`. */
  readonly key?: string;
  readonly as?: TestCaller;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestControl {
  readonly gateway: Gateway;
  readonly url: string;
  readonly log: LogLine[];
  readonly organisationId: string;
  /** The lines of the first start. */
  readonly welcome: readonly string[];
  /** The admin key that was printed, where the plugin api-keys is there. */
  readonly adminKey: string;
  /** Sends one request; a reply of the control plane is held against the OpenAPI document. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** As `call`, and fails unless the status is 2xx; gives the JSON. */
  ok(method: string, path: string, options?: CallOptions): Promise<JsonObject>;
  /** Moves the clock on; timers of the process are not moved. */
  advance(ms: number): void;
  now(): number;
  runJob(name: string): Promise<boolean>;
}

export interface ControlOptions {
  /** Default: SQLite in memory. */
  readonly store?: StoreOptions;
  /** Default: the standard list. */
  readonly plugins?: readonly string[];
  readonly config?: ConfigFragment;
  readonly settings?: Partial<ControlSettings>;
  readonly overrides?: Omit<GatewayOverrides, 'now' | 'log'>;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: 2026-11-21T12:00:00Z. */
  readonly startAt?: number;
  /** The clock moves by `advance` alone. */
  readonly stands?: boolean;
  /** The key of another control plane on the same store. */
  readonly keyMaterial?: ControlSettings['keyMaterial'];
}

const testPlugins = fileURLToPath(new URL('./plugins', import.meta.url));

export function testKeyMaterial(): ControlSettings['keyMaterial'] {
  return { key: randomBytes(32), previous: [], source: 'the test' };
}

/** Starts a gateway with its control plane; it closes itself when the test ends. */
export async function startControl(
  t: Pick<TestContext, 'after'>,
  {
    store = { kind: 'sqlite', file: ':memory:' },
    plugins = standardPlugins,
    config = {},
    settings = {},
    overrides = {},
    env = {},
    startAt = Date.UTC(2026, 10, 21, 12),
    stands = false,
    keyMaterial = testKeyMaterial(),
  }: ControlOptions = {},
): Promise<TestControl> {
  const { log, logged } = recordingLog();
  let offset = stands ? startAt : startAt - Date.now();
  const now = stands ? () => offset : () => Date.now() + offset;
  const base = testConfig(config);
  const gateway = await createGateway(
    {
      ...base,
      pluginFolders: [...base.pluginFolders, { path: testPlugins, trust: 'trusted', requireSignature: false }],
      phases: {
        ...base.phases,
        identify: [{ plugin: 'test-identity' }, ...(base.phases.identify ?? standardIdentify(plugins))],
      },
      controlPlugins: plugins,
      control: {
        plugins,
        store,
        keyMaterial,
        migrateOnStart: true,
        timestamps: 'unix',
        pollMs: 200,
        // Tests run them by hand: a minute that ends in the middle must change nothing.
        runsJobs: false,
        inference: true,
        publicUrl: 'https://gateway.example.com',
        ...settings,
      },
    },
    { env: (name) => env[name], log, ...overrides, now },
  );
  t.after(() => gateway.close());
  const { url } = await gateway.listen();
  const control = gateway.control;
  assert.ok(control !== undefined, 'the gateway has a control plane');
  const first = (await control.store.db('first_start').first()) as { organisation_id: string };
  const check = replyCheck(control.openApi(url) as unknown as OpenApi, control.endpoints);

  const call: TestControl['call'] = async (method, path, { body, key, as = {}, headers = {} } = {}) => {
    const caller = {
      organisationId: first.organisation_id,
      scopes: [...allScopes],
      ...(as.userId === undefined ? { keyId: 'test-key', keyType: 'organisation-service' } : {}),
      ...as,
    };
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? { 'x-gw-test-caller': JSON.stringify(caller) } : { 'x-gw-api-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = asObject(parseJson(text)) ?? {};
    check(method, path, response.status, json);
    return { status: response.status, headers: response.headers, text, json };
  };
  return {
    gateway,
    url,
    log: logged as LogLine[],
    organisationId: first.organisation_id,
    welcome: control.welcome,
    adminKey: /\b[0-9A-Za-z_-]{40,}\b/.exec(control.welcome.join('\n'))?.[0] ?? '',
    call,
    ok: async (method, path, options) => {
      const reply = await call(method, path, options);
      assert.ok(reply.status >= 200 && reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
      return reply.json;
    },
    advance: (ms) => {
      offset += ms;
    },
    now,
    runJob: (name) => control.jobs.run(name),
  };
}

function standardIdentify(plugins: readonly string[]) {
  const here = ['api-keys', 'sessions'].filter((plugin) => plugins.includes(plugin));
  return [...here, 'static-keys'].map((plugin) => ({ plugin }));
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseObject>> }>>>
  >;
  readonly components: { readonly schemas: { readonly Error: object } };
}

interface ResponseObject {
  readonly content?: { readonly 'application/json'?: { readonly schema: object } };
}

type Endpoints = NonNullable<Gateway['control']>['endpoints'];

/** Holds each reply against what the document promises for its route. */
function replyCheck(document: OpenApi, endpoints: Endpoints) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const validators = new Map<string, ReturnType<typeof ajv.compile>>();
  const routes = endpoints.flatMap((endpoint) =>
    endpoint.paths.map((path) => ({
      endpoint,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[A-Za-z]+/g, '[^/]+')}$`),
      parameters: path.split(':').length,
    })),
  );
  return (method: string, path: string, status: number, json: JsonObject): void => {
    const pathname = path.split('?')[0] ?? '';
    const found = routes
      .filter(({ endpoint, pattern }) => endpoint.method === method.toLowerCase() && pattern.test(pathname))
      .sort((a, b) => a.parameters - b.parameters)[0];
    if (found === undefined || found.endpoint.hidden) return;
    const documented = document.paths[found.endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}')]?.[found.endpoint.method];
    assert.ok(documented !== undefined, `${found.endpoint.path} is documented`);
    const response = documented.responses[String(status)];
    if (status >= 400) {
      const valid = ajv.compile(document.components.schemas.Error);
      assert.ok(valid(json), `${method} ${path} ${status}: ${JSON.stringify(json)} is no error envelope`);
      return;
    }
    const schema = response?.content?.['application/json']?.schema;
    if (schema === undefined) return;
    const id = `${found.endpoint.method} ${found.endpoint.path} ${status}`;
    const valid = validators.get(id) ?? ajv.compile(schema);
    validators.set(id, valid);
    const fits = valid(json);
    const faults = (valid.errors ?? []).map(
      (fault) => `${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`,
    );
    assert.ok(fits, `${id}: ${faults.join('; ')}\n${JSON.stringify(json).slice(0, 2000)}`);
  };
}
