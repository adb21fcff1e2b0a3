import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signed } from '../../../plugins/secret-references/backends/sign-v4.ts';

const example = {
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  now: Date.UTC(2015, 7, 30, 12, 36),
};

/** The published test suite of Signature Version 4, and the worked example of its documentation. */
const vectors: readonly {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly service?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signature: string;
}[] = [
  {
    name: 'get-vanilla',
    method: 'GET',
    url: 'https://example.amazonaws.com/',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    method: 'GET',
    url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'post-vanilla',
    method: 'POST',
    url: 'https://example.amazonaws.com/',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-x-www-form-urlencoded',
    method: 'POST',
    url: 'https://example.amazonaws.com/',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'Param1=value1',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  {
    name: 'the documented call of ListUsers',
    method: 'GET',
    url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
    service: 'iam',
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    signature: '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  },
];

describe('the signature', () => {
  for (const { name, method, url, service = 'service', headers = {}, body = '', signature } of vectors) {
    it(`is that of ${name}`, () => {
      const { authorization } = signed({ method, url: new URL(url), headers, body }, { ...example, service });
      assert.equal(/Signature=(\w+)/.exec(authorization ?? '')?.[1], signature);
    });
  }

  it('covers the session token of temporary credentials', () => {
    const request = { method: 'GET', url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' };
    const credentials = { ...example.credentials, sessionToken: 'token' };
    const headers = signed(request, { ...example, credentials, service: 'service' });
    assert.equal(headers['x-amz-security-token'], 'token');
    assert.match(headers.authorization ?? '', /SignedHeaders=host;x-amz-date;x-amz-security-token,/);
  });
});
