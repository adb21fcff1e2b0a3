import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { checkInput, createCheckHost, runCheck, testCheck } from 'portcullis/sdk/testing';
import validUrls, { validUrls as validUrlsWith } from '../../../guardrails/default/valid-urls.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { empty, manifest } from './replies.ts';

const statuses: Readonly<Record<string, number>> = {
  'https://up.test/': 200,
  'https://up.test/a_(b)': 204,
  'https://moved.test/': 301,
  'https://post-only.test/': 405,
  'https://gone.test/page': 404,
  'https://broken.test/': 503,
  'http://[2001:db8::1]:8080/a': 200,
};
const host = {
  manifest,
  fetch: (url: URL) => {
    const status = statuses[url.href];
    if (url.hostname === '169.254.169.254') throw new GatewayError('url_blocked', 'Not called.');
    if (status === undefined) throw new GatewayError('upstream_unreachable', 'Not reached.');
    return empty(status);
  },
};
const many = (count: number) => Array.from({ length: count }, (_, index) => `https://up.test/?${index}`).join(' ');
const told = (valid: number, count: number) => ({
  explanation: `${valid} of ${count} URLs are valid.`,
  not: false,
  verdict: valid === count,
});

testCheck(validUrls, {
  pass: [
    { text: 'See https://up.test/.', host },
    { text: '[here](https://up.test/a_(b)), or (https://up.test/)!', host },
    { text: 'A redirect https://moved.test is an answer', host },
    { text: 'so is https://post-only.test/', host },
    {
      text: '"https://up.test/#part" and https://up.test/#other',
      host,
      data: { ...told(1, 1), urls: [{ url: 'https://up.test/', valid: true }], malformed: 0 },
    },
    { text: 'https://up.test/ https://gone.test/page', config: { not: true }, host },
    {
      text: '[at](http://[2001:db8::1]:8080/a).',
      host,
      data: { ...told(1, 1), urls: [{ url: 'http://[2001:db8::1]:8080/a', valid: true }], malformed: 0 },
    },
  ],
  fail: [
    { text: 'None at all, not even with https:// alone', host, why: 'No URLs found.' },
    { text: 'None', config: { not: true }, host, why: 'No URLs found.' },
    { text: 'https://up.test/', config: { not: true }, host },
    {
      text: 'https://up.test/ and https://gone.test/page',
      host,
      why: '1 of 2 URLs are valid.',
      data: {
        ...told(1, 2),
        urls: [
          { url: 'https://up.test/', valid: true },
          { url: 'https://gone.test/page', valid: false, reason: 'status 404' },
        ],
        malformed: 0,
      },
    },
    { text: 'https://broken.test', host },
    {
      text: 'http://169.254.169.254/latest/meta-data',
      host,
      data: {
        ...told(0, 1),
        urls: [{ url: 'http://169.254.169.254/latest/meta-data', valid: false, reason: 'blocked' }],
        malformed: 0,
      },
    },
    { text: 'https://nowhere.test', host },
    { text: 'https://up.test/ and http://[2001:db8::2]/', host, why: '1 of 2 URLs are valid.' },
    { text: 'http://256.1.2.3/', host, data: { ...told(0, 1), urls: [], malformed: 1 } },
    { text: `https://up.test/${'x'.repeat(2048)}`, host, data: { ...told(0, 1), urls: [], malformed: 1 } },
    {
      name: '21 different URLs, without calling any',
      text: many(21),
      host,
      data: {
        explanation: '21 different URLs found; at most 20 are looked at.',
        not: false,
        verdict: false,
        count: 21,
      },
    },
  ],
  refused: [{ config: { onlyDns: true }, message: /onlyDns/ }],
});

describe('the calls of validUrls', () => {
  it('are HEAD requests of three seconds, one for each different URL', async () => {
    const counting = createCheckHost({ fetch: () => empty(200) });
    await runCheck(
      validUrls,
      {},
      checkInput({ phase: 'afterRequest', text: `${many(20)} https://up.test/?3` }),
      counting,
    );
    assert.equal(counting.fetched.length, 20);
    assert.ok(counting.fetched.every(({ request }) => request.method === 'HEAD' && request.timeoutMs === 3000));
  });

  it('throw when the time of the check is up', async () => {
    const late = createCheckHost({ fetch: () => empty(200), signal: AbortSignal.abort() });
    const run = runCheck(validUrls, {}, checkInput({ phase: 'afterRequest', text: 'https://up.test/' }), late);
    await assert.rejects(run, { code: 'request_timeout' });
  });
});

describe('validUrls with onlyDNS', () => {
  let names: NameServer;
  before(async () => {
    names = await startNameServer(['known.test'], ['silent.test']);
  });
  after(() => names.close());
  const look = (text: string) =>
    runCheck(
      validUrlsWith(() => names.resolver()),
      { onlyDNS: true },
      checkInput({ phase: 'afterRequest', text }),
    );

  it('passes a host that has an address, and calls nobody', async () => {
    assert.equal((await look('https://known.test/whatever and http://192.0.2.7/')).pass, true);
  });

  it('fails a host that has none', async () => {
    const { pass, data } = await look('https://known.test/ https://unknown.test/');
    assert.equal(pass, false);
    assert.deepEqual(data, {
      ...told(1, 2),
      urls: [
        { url: 'https://known.test/', valid: true },
        { url: 'https://unknown.test/', valid: false, reason: 'no address' },
      ],
      malformed: 0,
    });
  });

  it('throws when DNS gives no answer', async () => {
    await assert.rejects(look('https://silent.test/'), { code: 'check_failed' });
  });
});
