import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { JsonObject, MachineIdentity, RequestToSign, Settings, TokenRequest } from 'portcullis/sdk';
import { Authenticator } from '../../../core/upstream/auth.ts';
import { authOf } from '../../../providers/vertex-ai/auth.ts';
import { serviceAccountRequest } from '../../../providers/vertex-ai/grants.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const nowMs = 1_767_225_600_000;
const scope = 'https://www.googleapis.com/auth/cloud-platform';

const keyFile = (more: JsonObject = {}): JsonObject => ({
  type: 'service_account',
  project_id: 'my-project',
  private_key_id: 'k1',
  private_key: pem,
  client_email: 'robot@my-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
  ...more,
});

type Answer = { readonly status: number; readonly body: string };
const answered = (json: JsonObject, status = 200): Answer => ({ status, body: JSON.stringify(json) });
const token = (name: string, expires_in = 3600) => answered({ access_token: name, expires_in, token_type: 'Bearer' });

/** An authenticator before recorded answers, by the n-th request to a host. */
function world(answers: (request: TokenRequest, count: number) => Answer | Promise<Answer>, machine?: MachineIdentity) {
  const clock = { now: nowMs };
  const sent: TokenRequest[] = [];
  const authenticator = new Authenticator(
    async (request) => answers(request, sent.push(request)),
    () => clock.now,
    machine,
  );
  const request: RequestToSign = { method: 'POST', url: 'https://x', headers: {}, body: '{}', flows: false };
  const headers = async (settings: Settings) =>
    authenticator.headersFor(
      authOf(settings),
      { settings, upstream: 'vertex-ai', machine: machine !== undefined },
      () => request,
    );
  return { clock, sent, headers };
}

function machineOf(
  env: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string | JsonObject>> = {},
  answers: (request: TokenRequest) => Answer = () => answered({}, 404),
) {
  const asked: TokenRequest[] = [];
  const machine: MachineIdentity = {
    env: (name) => env[name],
    readFile: async (path) => {
      const file = files[path];
      if (file === undefined) throw new Error('ENOENT');
      return typeof file === 'string' ? file : JSON.stringify(file);
    },
    send: async (request) => {
      asked.push(request);
      return answers(request);
    },
  };
  return { machine, asked };
}

const withKey = (more?: JsonObject): Settings => ({ vertexServiceAccountJson: keyFile(more) });

describe('the grant of a service account', () => {
  it('is an assertion that another library verifies', async () => {
    const { form, url } = serviceAccountRequest(keyFile(), nowMs);
    const assertion = form?.assertion ?? '';
    const { payload } = await jwtVerify(assertion, publicKey, {
      algorithms: ['RS256'],
      issuer: 'robot@my-project.iam.gserviceaccount.com',
      subject: 'robot@my-project.iam.gserviceaccount.com',
      audience: url,
      currentDate: new Date(nowMs),
    });
    assert.deepEqual([payload.scope, (payload.exp ?? 0) - (payload.iat ?? 0)], [scope, 3600]);
    assert.deepEqual(decodeProtectedHeader(assertion), { alg: 'RS256', typ: 'JWT', kid: 'k1' });
    assert.equal(form?.grant_type, 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  });

  it('takes keys whose line ends are text', () => {
    const request = serviceAccountRequest(keyFile({ private_key: pem.replaceAll('\n', '\\n') }), nowMs);
    assert.equal(request.form?.assertion?.split('.').length, 3);
  });

  for (const uri of [
    'https://oauth2.googleapis.com/token',
    'https://accounts.google.com/o/oauth2/token',
    'https://www.googleapis.com/oauth2/v4/token',
  ]) {
    it(`goes to ${uri}`, () => assert.equal(serviceAccountRequest(keyFile({ token_uri: uri }), nowMs).url, uri));
  }

  for (const uri of [
    'https://evil.example/token',
    'http://oauth2.googleapis.com/token',
    'https://oauth2.googleapis.com/token?x=1',
    'https://oauth2.googleapis.com.evil.example/token',
    'http://169.254.169.254/token',
  ]) {
    it(`never goes to ${uri}`, async () => {
      const { headers, sent } = world(() => token('t'));
      await assert.rejects(headers(withKey({ token_uri: uri })), { code: 'bad_request' });
      assert.equal(sent.length, 0);
    });
  }

  it('says what is wrong with a key, and never quotes it', async () => {
    const { headers } = world(() => token('t'));
    const broken = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
    await assert.rejects(headers(withKey({ private_key: broken })), (error: Error) => {
      assert.match(error.message, /private_key/);
      assert.doesNotMatch(error.message + String(error.cause ?? ''), /c2VjcmV0/);
      return true;
    });
  });
});

describe('the token of a service account', () => {
  it('is fetched once for requests at the same time', async () => {
    const { headers, sent } = world(() => token('one'));
    const settings = withKey();
    const both = await Promise.all([headers(settings), headers(settings)]);
    assert.deepEqual(both, [{ authorization: 'Bearer one' }, { authorization: 'Bearer one' }]);
    assert.equal(sent.length, 1);
  });

  it('is kept, and renewed before it ends', async () => {
    const { headers, sent, clock } = world((_, count) => token(`t${count}`));
    const settings = withKey();
    await headers(settings);
    clock.now += 50 * 60_000;
    assert.deepEqual(await headers(settings), { authorization: 'Bearer t1' });
    clock.now += 6 * 60_000;
    assert.deepEqual(await headers(settings), { authorization: 'Bearer t2' });
    assert.equal(sent.length, 2);
  });

  it('is asked for anew after a failure', async () => {
    const { headers } = world((_, count) => (count === 1 ? answered({ error: 'invalid_grant' }, 400) : token('two')));
    const settings = withKey();
    await assert.rejects(headers(settings), { code: 'upstream_error' });
    assert.deepEqual(await headers(settings), { authorization: 'Bearer two' });
  });

  it('is one of each account, which may come as text', async () => {
    const { headers, sent } = world((_, count) => token(`t${count}`));
    await headers({ vertexServiceAccountJson: JSON.stringify(keyFile()) });
    await headers({ vertexServiceAccountJson: JSON.stringify(keyFile({ client_email: 'other@p.iam' })) });
    assert.equal(sent.length, 2);
  });

  it('is refused for what is no key file', async () => {
    const { headers } = world(() => token('t'));
    await assert.rejects(headers({ vertexServiceAccountJson: 'nonsense' }), { code: 'bad_request' });
    await assert.rejects(headers(withKey({ type: 'external_account' })), { code: 'bad_request' });
  });
});

describe('a credential of the caller', () => {
  it('is an access token, or the key of the express mode', async () => {
    const { headers, sent } = world(() => token('t'));
    assert.deepEqual(await headers({ apiKey: 'ya29.abc' }), { authorization: 'Bearer ya29.abc' });
    assert.deepEqual(await headers({ apiKey: 'AIzaKey' }), { 'x-goog-api-key': 'AIzaKey' });
    assert.deepEqual(await headers({ apiKey: 'AQ.Ab8' }), { 'x-goog-api-key': 'AQ.Ab8' });
    assert.equal(sent.length, 0);
  });

  it('stands behind a service account', async () => {
    const { headers } = world(() => token('account'));
    assert.deepEqual(await headers({ apiKey: 'AIzaKey', ...withKey() }), { authorization: 'Bearer account' });
  });

  it('is needed where the machine may not be spent', async () => {
    await assert.rejects(world(() => token('t')).headers({}), { code: 'missing_credentials' });
  });
});

const named = { GOOGLE_APPLICATION_CREDENTIALS: '/adc.json' };
const external = (more: JsonObject = {}): JsonObject => ({
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: '/var/run/token' },
  ...more,
});
const impersonation =
  'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/robot@p.iam.gserviceaccount.com:generateAccessToken';

describe('the identity of the machine', () => {
  it('is that of the metadata server, asked once', async () => {
    const { machine, asked } = machineOf({}, {}, () => token('meta'));
    const { headers, sent } = world(() => token('never'), machine);
    const settings: Settings = {};
    assert.deepEqual(await headers(settings), { authorization: 'Bearer meta' });
    await headers(settings);
    assert.equal(asked.length, 1);
    assert.match(asked[0]?.url ?? '', /^http:\/\/169\.254\.169\.254\/computeMetadata\/v1\/instance\//);
    assert.deepEqual(asked[0]?.headers, { 'metadata-flavor': 'Google' });
    assert.equal(sent.length, 0);
  });

  it('is a service account in the file of the environment', async () => {
    const { machine } = machineOf(named, { '/adc.json': keyFile() });
    const { headers, sent } = world(() => token('sa'), machine);
    assert.deepEqual(await headers({}), { authorization: 'Bearer sa' });
    assert.equal(sent[0]?.url, 'https://oauth2.googleapis.com/token');
  });

  it('is a person who has signed in, billed to the project of the file', async () => {
    const file = {
      type: 'authorized_user',
      client_id: 'i',
      client_secret: 's',
      refresh_token: 'r',
      quota_project_id: 'q',
    };
    const { machine } = machineOf(
      { HOME: '/person' },
      { '/person/.config/gcloud/application_default_credentials.json': file },
    );
    const { headers, sent } = world(() => token('me'), machine);
    assert.deepEqual(await headers({}), { authorization: 'Bearer me', 'x-goog-user-project': 'q' });
    assert.deepEqual(sent[0]?.form, {
      grant_type: 'refresh_token',
      client_id: 'i',
      client_secret: 's',
      refresh_token: 'r',
    });
  });

  it('is a token of another platform, exchanged, and exchanged for that of an account', async () => {
    const file = external({ service_account_impersonation_url: impersonation });
    const { machine } = machineOf(named, { '/adc.json': file, '/var/run/token': 'subject\n' });
    const { headers, sent } = world(
      (_, count) =>
        count === 1 ? token('federated') : answered({ accessToken: 'account', expireTime: '2026-01-01T01:00:00Z' }),
      machine,
    );
    assert.deepEqual(await headers({}), { authorization: 'Bearer account' });
    assert.deepEqual(
      [sent[0]?.url, sent[0]?.form?.subject_token, sent[0]?.form?.audience],
      ['https://sts.googleapis.com/v1/token', 'subject', file.audience],
    );
    assert.deepEqual(
      [sent[1]?.url, sent[1]?.headers, sent[1]?.json],
      [impersonation, { authorization: 'Bearer federated' }, { scope: [scope], lifetime: '3600s' }],
    );
  });

  it('reads the token from JSON at an address of the machine', async () => {
    const source = {
      url: 'http://169.254.169.254/metadata/identity',
      headers: { Metadata: 'True' },
      format: { type: 'json', subject_token_field_name: 'access_token' },
    };
    const { machine, asked } = machineOf(named, { '/adc.json': external({ credential_source: source }) }, () =>
      answered({ access_token: 'azure' }),
    );
    const { headers, sent } = world(() => token('federated'), machine);
    assert.deepEqual(await headers({}), { authorization: 'Bearer federated' });
    assert.deepEqual([asked[0]?.headers, sent[0]?.form?.subject_token], [{ metadata: 'True' }, 'azure']);
  });

  const refused: readonly [string, JsonObject][] = [
    ['an exchange elsewhere', external({ token_url: 'https://sts.evil.example/v1/token' })],
    [
      'an impersonation elsewhere',
      external({ service_account_impersonation_url: 'https://evil.example/x:generateAccessToken' }),
    ],
    ['a program as source', external({ credential_source: { executable: { command: '/bin/sh' } } })],
    ['a source of AWS', external({ credential_source: { environment_id: 'aws1', url: 'http://169.254.169.254/x' } })],
    ['a type that it does not know', { type: 'gdch_service_account' }],
  ];
  for (const [what, file] of refused) {
    it(`refuses ${what}`, async () => {
      const { machine, asked } = machineOf(named, { '/adc.json': file, '/var/run/token': 'subject' });
      const { headers, sent } = world(() => token('federated'), machine);
      await assert.rejects(headers({}), { code: 'bad_request' });
      const elsewhere = sent.filter(({ url }) => !url.startsWith('https://sts.googleapis.com/'));
      assert.deepEqual([asked.length, elsewhere.length], [0, 0]);
    });
  }

  it('says so when the file that the environment names is not there', async () => {
    const { machine } = machineOf(named);
    await assert.rejects(world(() => token('t'), machine).headers({}), { code: 'bad_request' });
  });
});
