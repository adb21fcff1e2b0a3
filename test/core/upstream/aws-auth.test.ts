import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MachineIdentity, RequestToSign, Settings, TokenRequest } from 'portcullis/sdk';
import { Authenticator } from '../../../core/upstream/auth.ts';
import { awsAuth, awsHeaders } from '../../../sdk/providers/aws/index.ts';

const start = Date.UTC(2026, 0, 1);
const auth = awsAuth({ service: 'bedrock', apiKeys: true });
const own: Settings = {
  awsRegion: 'eu-west-1',
  awsAccessKeyId: 'AKIDOWN',
  awsSecretAccessKey: 'own-secret',
  awsRoleSessionName: 'portcullis',
};
const roleArn = 'arn:aws:iam::123456789012:role/team/caller';
const role: Settings = { ...own, awsAuthType: 'assumedRole', awsRoleArn: roleArn };
const toSign: RequestToSign = {
  method: 'POST',
  url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse',
  headers: { 'content-type': 'application/json' },
  body: '{}',
  flows: false,
};

type Reply = { readonly status: number; readonly body: string };

function leased(action: string, name: string, seconds: number, now = start): Reply {
  const Credentials = {
    AccessKeyId: name,
    SecretAccessKey: `${name}-secret`,
    SessionToken: `${name}-token`,
    Expiration: now / 1000 + seconds,
  };
  return { status: 200, body: JSON.stringify({ [`${action}Response`]: { [`${action}Result`]: { Credentials } } }) };
}

interface World {
  readonly asked: TokenRequest[];
  now: number;
  headers(settings: Settings, request?: Partial<RequestToSign>): Promise<Readonly<Record<string, string>>>;
  forget(settings: Settings): void;
}

function world(
  answer: (request: TokenRequest, count: number) => Reply | Promise<Reply>,
  machine?: Partial<MachineIdentity>,
): World {
  const asked: TokenRequest[] = [];
  const send = async (request: TokenRequest): Promise<Reply> => answer(request, asked.push(request));
  const identity =
    machine === undefined ? undefined : { env: () => undefined, readFile: async () => '', send, ...machine };
  const made: World = {
    asked,
    now: start,
    headers: async (settings, request = {}) =>
      authenticator.headersFor(auth, { settings, upstream: 'u', machine: machine !== undefined }, () => ({
        ...toSign,
        ...request,
      })),
    forget: (settings) => authenticator.forget({ settings, upstream: 'u' }),
  };
  const authenticator = new Authenticator(send, () => made.now, identity);
  return made;
}

const never = (): Reply => {
  throw new Error('Nothing may be asked.');
};
const credentialIn = (headers: Readonly<Record<string, string>>) =>
  /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1];

describe('aws credentials: keys and API keys', () => {
  it('access keys sign each request, for the service that it is for', async () => {
    const { headers } = world(never);
    const scope = { region: 'eu-west-1', now: start };
    const keys = { accessKeyId: 'AKIDOWN', secretAccessKey: 'own-secret' };
    assert.deepEqual(await headers(own), awsHeaders(toSign, keys, { ...scope, service: 'bedrock' }));
    const put = { service: 's3', flows: true, body: undefined };
    assert.equal((await headers(own, put))['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD');
    await assert.rejects(headers(own, { flows: true }), { code: 'bad_request' });
  });

  it('an API key is sent as it is, and opens its own service alone', async () => {
    const { headers } = world(never);
    const settings = { awsRegion: 'eu-west-1', apiKey: 'ABSK', awsRoleSessionName: 'p' };
    assert.deepEqual(await headers(settings), { authorization: 'Bearer ABSK' });
    await assert.rejects(headers(settings, { service: 's3' }), {
      code: 'missing_credentials',
      param: 'aws_access_key_id',
    });
    assert.equal(credentialIn(await headers({ ...own, apiKey: 'ABSK' })), 'AKIDOWN');
  });

  it('half a pair of keys, a role without its name, and a type without its key are told', async () => {
    const { headers } = world(never);
    const { awsSecretAccessKey: _, ...half } = own;
    const { awsAccessKeyId: __, ...other } = own;
    const { awsRoleArn: ___, ...nameless } = role;
    const cases: readonly (readonly [Settings, string])[] = [
      [half, 'aws_secret_access_key'],
      [{ ...other, awsAuthType: 'accessKey' }, 'aws_access_key_id'],
      [nameless, 'aws_role_arn'],
      [{ ...own, awsAuthType: 'apiKey' }, 'api_key'],
    ];
    for (const [settings, param] of cases)
      await assert.rejects(headers(settings), { code: 'missing_credentials', param });
  });
});

describe('aws credentials: roles', () => {
  it('are assumed with everything that the settings say, signed by the keys', async () => {
    const { headers, asked } = world(() => leased('AssumeRole', 'ROLE', 3600));
    const settings = {
      ...role,
      awsExternalId: 'ext',
      awsRoleSessionName: 'me',
      awsSessionTags: 'team=search,stage=live',
    };
    const signed = await headers(settings);
    assert.equal(credentialIn(signed), 'ROLE');
    assert.equal(signed['x-amz-security-token'], 'ROLE-token');
    const [sts] = asked;
    assert.deepEqual(sts?.form, {
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: roleArn,
      RoleSessionName: 'me',
      ExternalId: 'ext',
      'Tags.member.1.Key': 'team',
      'Tags.member.1.Value': 'search',
      'Tags.member.2.Key': 'stage',
      'Tags.member.2.Value': 'live',
    });
    assert.equal(sts.url, 'https://sts.eu-west-1.amazonaws.com/');
    const body = new URLSearchParams(sts.form).toString();
    const keys = { accessKeyId: 'AKIDOWN', secretAccessKey: 'own-secret' };
    const wanted = awsHeaders({ method: 'POST', url: sts.url, headers: {}, body }, keys, {
      service: 'sts',
      region: 'eu-west-1',
      now: start,
    });
    assert.equal(sts.headers?.authorization, wanted.authorization);
  });

  it('are assumed once for any number of requests at a time, and anew five minutes before the end', async () => {
    const made = world(async (_, count) => {
      await new Promise((resolve) => setImmediate(resolve));
      return leased('AssumeRole', `ROLE${count}`, 3600, made.now);
    });
    const some = () => Promise.all(Array.from({ length: 50 }, () => made.headers(role).then(credentialIn)));
    assert.deepEqual(new Set(await some()), new Set(['ROLE1']));
    made.now += 54 * 60_000;
    assert.deepEqual(new Set(await some()), new Set(['ROLE1']));
    made.now += 2 * 60_000;
    assert.deepEqual(new Set(await some()), new Set(['ROLE2']));
    made.forget(role);
    assert.deepEqual(new Set(await some()), new Set(['ROLE3']));
    assert.equal(made.asked.length, 3);
  });

  it('that are refused once are asked for again; nothing secret is told', async () => {
    const refusal = { Error: { Code: 'AccessDenied', Message: 'User arn:aws:iam::1:user/x may not: own-secret' } };
    const { headers } = world((_, count) =>
      count === 1 ? { status: 403, body: JSON.stringify(refusal) } : leased('AssumeRole', 'ROLE', 3600),
    );
    await assert.rejects(headers(role), (error: Error) => {
      assert.match(error.message, /status 403 \(AccessDenied\)/);
      assert.doesNotMatch(error.message, /secret|user\/x/);
      return true;
    });
    assert.equal(credentialIn(await headers(role)), 'ROLE');
  });

  it('of others are not shared: settings are part of what is kept', async () => {
    const { headers, asked } = world((request) => leased('AssumeRole', `R-${request.form?.ExternalId}`, 3600));
    assert.equal(credentialIn(await headers({ ...role, awsExternalId: 'a1' })), 'R-a1');
    assert.equal(credentialIn(await headers({ ...role, awsExternalId: 'b2' })), 'R-b2');
    assert.equal(asked.length, 2);
  });

  it('come in XML too, and from the hosts of China for its regions', async () => {
    const xml = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>XML</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
    const { headers, asked } = world(() => ({ status: 200, body: xml }));
    assert.equal(credentialIn(await headers({ ...role, awsRegion: 'cn-north-1' })), 'XML');
    assert.equal(asked[0]?.url, 'https://sts.cn-north-1.amazonaws.com.cn/');
  });
});

describe('aws credentials: the identity of the machine', () => {
  const machineSettings: Settings = { awsRegion: 'eu-west-1', awsRoleSessionName: 'portcullis' };
  const environment = (variables: Readonly<Record<string, string>>) => ({ env: (name: string) => variables[name] });

  it('is spent by those alone who may', async () => {
    await assert.rejects(world(never).headers(machineSettings), { code: 'missing_credentials' });
    await assert.rejects(world(never).headers({ ...machineSettings, awsAuthType: 'machine' }), {
      code: 'missing_credentials',
    });
  });

  it('comes from the environment', async () => {
    const variables = { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' };
    const headers = await world(never, environment(variables)).headers(machineSettings);
    assert.deepEqual([credentialIn(headers), headers['x-amz-security-token']], ['ENV', 't']);
  });

  it('comes from a web identity, and may assume a role on top', async () => {
    const variables = {
      AWS_WEB_IDENTITY_TOKEN_FILE: '/var/token',
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/pod',
      AWS_ROLE_SESSION_NAME: 'pod',
    };
    const { headers, asked } = world(
      ({ form }) => leased(form?.Action ?? '', form?.Action === 'AssumeRole' ? 'TOP' : 'POD', 3600),
      { ...environment(variables), readFile: async (path) => `${path}-text\n` },
    );
    assert.equal(
      credentialIn(await headers({ ...machineSettings, awsAuthType: 'workload', awsRoleArn: roleArn })),
      'TOP',
    );
    assert.deepEqual(asked[0]?.form, {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/pod',
      RoleSessionName: 'pod',
      WebIdentityToken: '/var/token-text',
    });
    assert.equal(asked[0]?.headers?.authorization, undefined);
    assert.match(asked[1]?.headers?.authorization ?? '', /Credential=POD\//);
    assert.equal(asked[1]?.headers?.['x-amz-security-token'], 'POD-token');
    assert.equal(credentialIn(await headers({ ...machineSettings, awsAuthType: 'workload' })), 'POD');
  });

  const task = { AccessKeyId: 'TASK', SecretAccessKey: 's', Token: 't', Expiration: '2026-01-01T06:00:00Z' };

  it('comes from the container', async () => {
    const relative = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/1' };
    const first = world(() => ({ status: 200, body: JSON.stringify(task) }), environment(relative));
    assert.equal(credentialIn(await first.headers(machineSettings)), 'TASK');
    assert.equal(first.asked[0]?.url, 'http://169.254.170.2/v2/credentials/1');
    const full = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/t',
    };
    const second = world(() => ({ status: 200, body: JSON.stringify(task) }), {
      ...environment(full),
      readFile: async () => 'pod-token\n',
    });
    assert.equal(credentialIn(await second.headers(machineSettings)), 'TASK');
    assert.deepEqual(
      [second.asked[0]?.url, second.asked[0]?.headers?.authorization],
      [full.AWS_CONTAINER_CREDENTIALS_FULL_URI, 'pod-token'],
    );
  });

  it('comes from the instance, by version 2 of its service', async () => {
    const base = 'http://169.254.169.254/latest';
    const { headers, asked } = world(({ url, headers: sent }) => {
      if (url === `${base}/api/token`) return { status: 200, body: 'session' };
      assert.equal(sent?.['x-aws-ec2-metadata-token'], 'session');
      return { status: 200, body: url.endsWith('/security-credentials/') ? 'my-role\n' : JSON.stringify(task) };
    }, {});
    assert.equal(credentialIn(await headers(machineSettings)), 'TASK');
    assert.deepEqual(
      asked.map(({ method, url }) => `${method} ${url.slice(base.length)}`),
      ['PUT /api/token', 'GET /meta-data/iam/security-credentials/', 'GET /meta-data/iam/security-credentials/my-role'],
    );
  });

  it('that is none is told, as is a service that fails', async () => {
    const disabled = { AWS_EC2_METADATA_DISABLED: 'true' };
    await assert.rejects(world(never, environment(disabled)).headers(machineSettings), { code: 'missing_credentials' });
    const relative = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' };
    const failing = world(() => ({ status: 500, body: 'secret text' }), environment(relative));
    await assert.rejects(failing.headers(machineSettings), (error: Error) => !error.message.includes('secret'));
  });
});
