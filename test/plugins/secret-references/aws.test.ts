import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { awsSecretsManager } from '../../../plugins/secret-references/backends/aws.ts';
import type { SecretFault } from '../../../plugins/secret-references/fault.ts';
import { fakeAws } from './fake-aws.ts';
import { place, World } from './world.ts';

const region = 'eu-west-1';
const role = 'arn:aws:iam::123456789012:role/reader';
const own = {
  aws_auth_type: 'accessKey',
  aws_access_key_id: 'AKIA1',
  aws_secret_access_key: 'own/secret',
  aws_region: region,
};
const assumed = { aws_auth_type: 'assumedRole', aws_role_arn: role, aws_external_id: 'ours', aws_region: region };

let world: World;
let read: ReturnType<typeof awsSecretsManager>;

beforeEach(async () => {
  world = new World();
  await fakeAws(world, region, {
    keys: { AKIA1: { secret: 'own/secret' }, AKIAGW: { secret: 'gateway/secret' } },
    secrets: {
      'app/key': { SecretString: 'sk-1' },
      'app/binary': { SecretBinary: Buffer.from('sk-2').toString('base64') },
      'app/empty': {},
    },
    roles: { [role]: { externalId: 'ours', webToken: 'web-token' } },
  });
  read = awsSecretsManager(world.reach);
});
afterEach(() => world.close());

const fault = (kind: string) => (error: SecretFault) => error.kind === kind;

describe('AWS Secrets Manager', () => {
  it('gives a secret to a signed call with an access key', async () => {
    assert.equal(await read(place(own, 'app/key')), 'sk-1');
  });

  it('gives binary secrets as their text', async () => {
    assert.equal(await read(place(own, 'app/binary')), 'sk-2');
  });

  it('is denied with a wrong secret key', async () => {
    await assert.rejects(read(place({ ...own, aws_secret_access_key: 'wrong' }, 'app/key')), fault('denied'));
  });

  it('has no secret of that name', async () => {
    await assert.rejects(read(place(own, 'app/none')), fault('missing'));
  });

  it('is at fault when it answers without a value', async () => {
    await assert.rejects(read(place(own, 'app/empty')), fault('broken'));
  });

  it('takes on a role with the credentials of the gateway and the external id of the reference', async () => {
    Object.assign(world.env, { AWS_ACCESS_KEY_ID: 'AKIAGW', AWS_SECRET_ACCESS_KEY: 'gateway/secret' });
    assert.equal(await read(place(assumed, 'app/key')), 'sk-1');
    await assert.rejects(read(place({ ...assumed, aws_external_id: 'theirs' }, 'app/key')), fault('denied'));
  });

  it('keeps temporary credentials until five minutes before their end', async () => {
    Object.assign(world.env, { AWS_ACCESS_KEY_ID: 'AKIAGW', AWS_SECRET_ACCESS_KEY: 'gateway/secret' });
    const logIns = () => world.calls.filter(({ host }) => host.startsWith('sts.')).length;
    await read(place(assumed, 'app/key'));
    world.now += 54 * 60_000;
    await read(place(assumed, 'app/key'));
    assert.equal(logIns(), 1);
    world.now += 2 * 60_000;
    await read(place(assumed, 'app/key'));
    assert.equal(logIns(), 2);
  });

  it('asks for a role once for all who wait', async () => {
    Object.assign(world.env, { AWS_ACCESS_KEY_ID: 'AKIAGW', AWS_SECRET_ACCESS_KEY: 'gateway/secret' });
    await Promise.all(Array.from({ length: 5 }, () => read(place(assumed, 'app/key'))));
    assert.equal(world.calls.filter(({ host }) => host.startsWith('sts.')).length, 1);
  });

  it('is called as the gateway itself, in the region of the gateway when the reference has none', async () => {
    Object.assign(world.env, {
      AWS_ACCESS_KEY_ID: 'AKIAGW',
      AWS_SECRET_ACCESS_KEY: 'gateway/secret',
      AWS_REGION: region,
    });
    assert.equal(await read(place({ aws_auth_type: 'serviceRole' }, 'app/key')), 'sk-1');
  });

  it('is called with the token that the platform keeps in a file', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'token');
    writeFileSync(file, 'web-token\n');
    Object.assign(world.env, { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role, AWS_REGION: region });
    assert.equal(await read(place({ aws_auth_type: 'serviceRole' }, 'app/key')), 'sk-1');
  });

  it('cannot be called as a gateway that has no identity there', async () => {
    await assert.rejects(
      read(place({ aws_auth_type: 'serviceRole', aws_region: region }, 'app/key')),
      fault('not_configured'),
    );
    await assert.rejects(read(place({ aws_auth_type: 'serviceRole' }, 'app/key')), fault('not_configured'));
  });

  it('is out of reach', async () => {
    await assert.rejects(read(place({ ...own, aws_region: 'us-east-1' }, 'app/key')), fault('unreachable'));
  });

  it('is blocked where the gateway does not call', async () => {
    world.blocked.add(`secretsmanager.${region}.amazonaws.com`);
    await assert.rejects(read(place(own, 'app/key')), fault('blocked'));
  });
});
