import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { type AwsKeys, awsEncoded, awsHeaders } from '../../../sdk/providers/aws/index.ts';

const keys: AwsKeys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const now = Date.UTC(2026, 0, 1, 12, 30, 5);

interface Asked {
  readonly method?: string;
  readonly service: string;
  readonly region?: string;
  /** Segments as they are meant; each is encoded once for the wire. */
  readonly segments: readonly string[];
  readonly query?: Readonly<Record<string, string | string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly sessionToken?: string;
  readonly at?: number;
}

/** What the signer of the official clients makes of the same request. */
async function official(asked: Asked): Promise<Record<string, string>> {
  const { service, region = 'us-east-1', sessionToken, at = now } = asked;
  const s3 = service === 's3';
  const signer = new SignatureV4({
    service,
    region,
    sha256: Sha256,
    credentials: { ...keys, ...(sessionToken === undefined ? {} : { sessionToken }) },
    uriEscapePath: !s3,
    applyChecksum: s3,
  });
  const signed = await signer.sign(
    {
      method: asked.method ?? 'POST',
      protocol: 'https:',
      hostname: 'host.example.com',
      path: `/${asked.segments.map(awsEncoded).join('/')}`,
      query: { ...asked.query },
      headers: { host: 'host.example.com', ...asked.headers },
      ...(asked.body === undefined ? {} : { body: asked.body }),
    },
    { signingDate: new Date(at) },
  );
  return signed.headers as Record<string, string>;
}

function ours(asked: Asked): Readonly<Record<string, string>> {
  const { service, region = 'us-east-1', sessionToken, at = now } = asked;
  const pairs = Object.entries(asked.query ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value) => `${awsEncoded(name)}=${awsEncoded(value)}`),
  );
  const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  const url = `https://host.example.com/${asked.segments.map(awsEncoded).join('/')}${query}`;
  return awsHeaders(
    { method: asked.method ?? 'POST', url, headers: asked.headers ?? {}, body: asked.body },
    { ...keys, ...(sessionToken === undefined ? {} : { sessionToken }) },
    { service, region, now: at },
  );
}

async function agree(asked: Asked): Promise<void> {
  const theirs = await official(asked);
  const mine = ours(asked);
  assert.equal(mine.authorization, theirs.authorization);
  assert.equal(mine['x-amz-date'], theirs['x-amz-date']);
  assert.equal(mine['x-amz-security-token'], theirs['x-amz-security-token']);
  assert.equal(mine['x-amz-content-sha256'], theirs['x-amz-content-sha256']);
}

describe('aws signatures are those of the official signer', () => {
  const cases: Readonly<Record<string, Asked>> = {
    'a model id': { service: 'bedrock', segments: ['model', 'us.amazon.nova-lite-v1:0', 'converse'], body: '{}' },
    'an ARN': {
      service: 'bedrock',
      segments: ['model', 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/ab12', 'converse'],
      body: '{"messages":[]}',
      headers: { 'content-type': 'application/json' },
    },
    'a query': {
      service: 'bedrock',
      method: 'GET',
      segments: ['foundation-models'],
      query: { b: '2 3', a: 'x/y', 'a-b': '' },
    },
    'a query with a name that comes twice': { service: 'x', method: 'GET', segments: [], query: { a: ['b', 'a'] } },
    'a session token': {
      service: 'sts',
      segments: [],
      body: 'Action=AssumeRole',
      sessionToken: 'FwoGZXIvYXdzEJr//token==',
    },
    'a key of S3 with spaces': { service: 's3', method: 'PUT', segments: ['bucket', 'a b', 'ü (1)!.jsonl'], body: 'x' },
    'a key of S3 with empty segments': { service: 's3', method: 'GET', segments: ['bucket', '', 'a', ''] },
    'headers with inner spaces': {
      service: 's3',
      method: 'PUT',
      segments: ['bucket', 'key'],
      headers: { 'x-amz-meta-name': '  a   b ', 'content-type': 'text/plain' },
      body: '',
    },
    'another region': {
      service: 'sagemaker',
      region: 'eu-central-1',
      segments: ['endpoints', 'e', 'invocations'],
      body: '{}',
    },
  };
  for (const [name, asked] of Object.entries(cases)) it(name, () => agree(asked));

  it('any path, query, token and day', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((value) => value.isWellFormed() && !/^\.+$/.test(value));
    const asked = fc.record(
      {
        service: fc.constantFrom('bedrock', 's3', 'sagemaker', 'sts'),
        segments: fc.array(text, { minLength: 1, maxLength: 4 }),
        query: fc.dictionary(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 6 }), text, {
          maxKeys: 3,
          noNullPrototype: true,
        }),
        body: fc.string({ unit: 'grapheme' }),
        sessionToken: fc.base64String({ minLength: 4 }),
        at: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) }),
      },
      { requiredKeys: ['service', 'segments'] },
    );
    await fc.assert(
      fc.asyncProperty(asked, (one) => agree(one as Asked)),
      { numRuns: 300 },
    );
  });

  it('the documented example of S3: the lifecycle of a bucket', () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    const headers = awsHeaders(
      { method: 'GET', url: 'https://examplebucket.s3.amazonaws.com/?lifecycle', headers: {}, body: undefined },
      { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      { service: 's3', region: 'us-east-1', now: Date.UTC(2013, 4, 24) },
    );
    assert.match(
      headers.authorization ?? '',
      /Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543$/,
    );
  });

  it('a body whose digest is not known, for S3', () => {
    const scope = { service: 's3', region: 'us-east-1', now };
    const request = { method: 'PUT', url: 'https://host.example.com/b/k', headers: {}, body: null };
    assert.equal(awsHeaders(request, keys, scope)['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD');
  });
});
