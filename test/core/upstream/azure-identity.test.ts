import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Auth,
  type AuthTools,
  azureAuth,
  type MachineIdentity,
  type RequestToSign,
  type Settings,
  type TokenRequest,
} from 'portcullis/sdk';

const scope = 'https://cognitiveservices.azure.com/.default';
const key: Auth = { kind: 'header', name: 'api-key', from: 'apiKey' };
const anyRequest: RequestToSign = { method: 'POST', url: 'https://a.example/', headers: {}, body: '', flows: false };

interface Machine {
  readonly env?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly body?: string;
  readonly file?: string;
}

function machineTools({ env = {}, status = 200, body = '{"access_token":"t","expires_in":"3600"}', file }: Machine) {
  const sent: TokenRequest[] = [];
  const read: string[] = [];
  const ends: number[] = [];
  const machine: MachineIdentity = {
    env: (name) => env[name],
    readFile: async (path) => {
      read.push(path);
      return file ?? assert.fail(`Nobody may read ${path}.`);
    },
    send: async (request) => {
      sent.push(request);
      return { status, body };
    },
  };
  const tools: AuthTools = {
    now: () => 1_000_000,
    send: () => assert.fail('Tokens of the machine go through the machine.'),
    cached: async (_, make) => {
      const { value, expiresAtMs } = await make();
      ends.push(expiresAtMs);
      return value;
    },
    machine,
  };
  return { tools, sent, read, ends };
}

const authOf = (settings: Settings) => azureAuth(settings, { provider: 'some', key });

async function managed(given: Machine, settings: Settings = {}) {
  const all: Settings = { azureAuthMode: 'managed', azureEntraScope: scope, ...settings };
  const auth = authOf(all);
  assert.ok(auth.kind === 'signed');
  const bench = machineTools(given);
  return { headers: await auth.headers(anyRequest, all, bench.tools), ...bench };
}

async function workload(given: Machine, settings: Settings = {}) {
  const all: Settings = { azureAuthMode: 'workload', azureEntraScope: scope, ...settings };
  const auth = authOf(all);
  assert.ok(auth.kind === 'token');
  const bench = machineTools(given);
  return { request: await auth.request(all, bench.tools), ...bench };
}

describe('a managed identity', () => {
  it('gets its token from the metadata service', async () => {
    const { headers, sent, ends } = await managed({});
    assert.deepEqual(headers, { authorization: 'Bearer t' });
    assert.deepEqual(sent, [
      {
        method: 'GET',
        url: 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com',
        headers: { metadata: 'true' },
      },
    ]);
    assert.deepEqual(ends, [1_000_000 + 3_600_000]);
  });
  it('gets it from the endpoint of its platform, as one of several identities', async () => {
    const env = { IDENTITY_ENDPOINT: 'http://127.0.0.1:41741/msi/token', IDENTITY_HEADER: 'header-secret' };
    const body = '{"access_token":"t","expires_on":"1586984735"}';
    const { sent, ends } = await managed({ env, body }, { azureManagedClientId: 'own & other' });
    assert.deepEqual(sent, [
      {
        method: 'GET',
        url: 'http://127.0.0.1:41741/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=own+%26+other',
        headers: { 'x-identity-header': 'header-secret' },
      },
    ]);
    assert.deepEqual(ends, [1_586_984_735_000]);
  });
  it('asks the metadata service where the platform names no secret', async () => {
    const { sent } = await managed({ env: { IDENTITY_ENDPOINT: 'http://127.0.0.1:1/token' } });
    assert.match(String(sent[0]?.url), /^http:\/\/169\.254\.169\.254\//);
  });
  const failures: readonly Machine[] = [
    { status: 400, body: '{"error":"invalid_request","access_token":"t"}' },
    { body: '{}' },
    { body: '{"access_token":""}' },
    { body: '<html>' },
  ];
  for (const given of failures) {
    it(`tells of ${given.status ?? 200} ${given.body} without its text`, async () => {
      await assert.rejects(managed(given), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'upstream_error');
        assert.doesNotMatch(error.message, /invalid_request|html/);
        return true;
      });
    });
  }
});

const cluster = {
  AZURE_TENANT_ID: 'tenant',
  AZURE_CLIENT_ID: 'client',
  AZURE_FEDERATED_TOKEN_FILE: '/var/run/secrets/azure/tokens/token',
};

describe('a workload identity', () => {
  it('trades the token of its file', async () => {
    const { request, read } = await workload({ env: cluster, file: 'assertion\n' });
    assert.deepEqual(read, [cluster.AZURE_FEDERATED_TOKEN_FILE]);
    assert.deepEqual(request, {
      method: 'POST',
      url: 'https://login.microsoftonline.com/tenant/oauth2/v2.0/token',
      form: {
        grant_type: 'client_credentials',
        client_id: 'client',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: 'assertion',
        scope,
      },
    });
  });
  it('asks the authority of its own cloud, as another client', async () => {
    const env = { ...cluster, AZURE_AUTHORITY_HOST: 'https://login.microsoftonline.us/', AZURE_TENANT_ID: 'a/b' };
    const { request } = await workload({ env, file: 'a' }, { azureWorkloadClientId: 'other' });
    assert.equal(request.url, 'https://login.microsoftonline.us/a%2Fb/oauth2/v2.0/token');
    assert.equal(request.form?.client_id, 'other');
  });
  for (const AZURE_AUTHORITY_HOST of [
    'https://evil.example',
    'http://login.microsoftonline.com',
    'https://login.microsoftonline.com.evil.example',
    'https://login.microsoftonline.com@evil.example',
  ]) {
    it(`brings its token not to ${AZURE_AUTHORITY_HOST}`, async () => {
      const bench = { env: { ...cluster, AZURE_AUTHORITY_HOST }, file: 'assertion' };
      await assert.rejects(workload(bench), { code: 'not_available' });
    });
  }
  for (const name of Object.keys(cluster)) {
    it(`names the variable ${name} that is missing`, async () => {
      const env = Object.fromEntries(Object.entries(cluster).filter(([known]) => known !== name));
      await assert.rejects(workload({ env, file: 'a' }), { code: 'not_available', message: new RegExp(name) });
    });
  }
});

describe('settings that may not spend the identity of the machine', () => {
  const tools: AuthTools = { ...machineTools({}).tools, machine: undefined };
  for (const azureAuthMode of ['managed', 'workload']) {
    it(`are told so: ${azureAuthMode}`, async () => {
      const settings: Settings = { azureAuthMode, azureEntraScope: scope, apiKey: 'k' };
      const auth = authOf(settings);
      const used =
        auth.kind === 'signed'
          ? async () => auth.headers(anyRequest, settings, tools)
          : async () => auth.kind === 'token' && auth.request(settings, tools);
      await assert.rejects(used, { code: 'not_available', param: 'azure_auth_mode', message: /operator/ });
    });
  }
});
