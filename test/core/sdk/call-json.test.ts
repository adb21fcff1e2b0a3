import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { baseUrl, callJson, GatewayError } from 'portcullis/sdk';
import { createCheckHost } from 'portcullis/sdk/testing';

const url = 'https://vendor.test/judge';
const hostWith = (status: number, body: string | Uint8Array) =>
  createCheckHost({ fetch: () => ({ status, headers: {}, body: Buffer.from(body) }) });

describe('a JSON call to a vendor', () => {
  it('sends JSON and gives the object that comes back', async () => {
    const host = hostWith(201, '{"flagged":true}');
    const headers = { 'x-key': 'k' };
    assert.deepEqual(await callJson(host, { vendor: 'Vendor', url, headers, body: { text: 'ü' } }), { flagged: true });
    assert.deepEqual(host.fetched[0]?.request, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-key': 'k' },
      body: '{"text":"ü"}',
    });
  });
  it('sends no body where there is none', async () => {
    const host = hostWith(200, '{}');
    await callJson(host, { vendor: 'Vendor', url, method: 'GET' });
    assert.deepEqual(host.fetched[0]?.request, { method: 'GET', headers: { accept: 'application/json' } });
  });
  it('takes the body of a status that is an answer too', async () => {
    assert.deepEqual(await callJson(hostWith(422, '{"a":1}'), { vendor: 'Vendor', url, also: [422] }), { a: 1 });
  });

  const refused: readonly (readonly [string, number, string | Uint8Array, RegExp])[] = [
    ['a redirect', 302, '{}', /Vendor answered with status 302/],
    ['a status that is no success', 500, '{"pass":true}', /Vendor answered with status 500/],
    ['an empty body', 200, '', /no JSON object/],
    ['a body that is no JSON', 200, '<html>', /no JSON object/],
    ['a list', 200, '[]', /no JSON object/],
    ['a body that is no UTF-8', 200, Uint8Array.of(0xff, 0xfe), /no JSON object/],
    ['null', 200, 'null', /no JSON object/],
  ];
  for (const [what, status, body, message] of refused) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(callJson(hostWith(status, body), { vendor: 'Vendor', url }), (error) => {
        assert.ok(GatewayError.is(error));
        assert.equal(error.code, 'check_failed');
        assert.match(error.message, message);
        return true;
      });
    });
  }
  it('says why the vendor could not be asked', async () => {
    const host = createCheckHost();
    const message = 'Vendor could not be asked: vendor.test could not be reached.';
    await assert.rejects(callJson(host, { vendor: 'Vendor', url }), { code: 'check_failed', message });
  });
  it('keeps words of others to itself', async () => {
    const host = createCheckHost({ fetch: () => Promise.reject(new Error('at 10.0.0.1 with key k')) });
    const message = 'Vendor could not be asked: the call failed.';
    await assert.rejects(callJson(host, { vendor: 'Vendor', url }), { code: 'check_failed', message });
  });
});

describe('the base of an API', () => {
  const rows: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'https://api.vendor.test/v1'],
    ['https://eu.vendor.test', 'https://eu.vendor.test'],
    ['https://eu.vendor.test/a/b//', 'https://eu.vendor.test/a/b'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['https://eu.vendor.test/?', 'https://eu.vendor.test'],
    ['https://eu.vendor.test/a#', 'https://eu.vendor.test/a'],
  ];
  for (const [given, base] of rows) {
    it(`is ${base} for ${given ?? 'nothing'}`, () =>
      assert.equal(baseUrl(given, 'https://api.vendor.test/v1', 'url'), base));
  }
  for (const given of [
    '',
    'eu.vendor.test',
    'ftp://x.test',
    'https://u:p@x.test',
    'https://x.test/?a=b',
    'https://x.test/#a',
  ]) {
    it(`is not ${JSON.stringify(given)}`, () => {
      assert.throws(() => baseUrl(given, 'https://x.test', 'domain'), { code: 'check_failed', param: 'domain' });
    });
  }
});
