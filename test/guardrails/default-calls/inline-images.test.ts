import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FetchReply, GatewayError, type JsonObject } from 'portcullis/sdk';
import { type CheckHostOptions, checkInput, createCheckHost, runCheck, testCheck } from 'portcullis/sdk/testing';
import inlineImages from '../../../guardrails/default/inline-images.ts';
import { manifest } from './replies.ts';

const bytes = {
  png: Buffer.from('89504e470d0a1a0a0000', 'hex'),
  jpeg: Buffer.from('ffd8ffe000104a464946', 'hex'),
  gif: Buffer.from('GIF89a....'),
  webp: Buffer.from('RIFF....WEBPVP8 '),
  html: Buffer.from('<html></html>'),
};
const replies: Readonly<Record<string, readonly [string, Buffer, number?]>> = {
  'https://a.test/png': ['image/png', bytes.png],
  'https://a.test/jpg': ['image/jpg; charset=binary', bytes.jpeg],
  'https://a.test/gif': ['image/gif', bytes.gif],
  'https://a.test/webp': ['Image/WebP', bytes.webp],
  'https://a.test/lie': ['image/png', bytes.html],
  'https://a.test/other': ['image/png', bytes.gif],
  'https://a.test/page': ['text/html', bytes.png],
  'https://a.test/gone': ['image/png', bytes.png, 404],
};
const host: CheckHostOptions = {
  manifest,
  fetch: (url): FetchReply => {
    if (url.hostname === '127.0.0.1') throw new GatewayError('url_blocked', 'Not called.');
    const [type, body, status = 200] = replies[url.href.split('?')[0] ?? ''] ?? [];
    if (type === undefined || body === undefined) throw new GatewayError('upstream_unreachable', 'Not reached.');
    return { status, headers: { 'content-type': type }, body };
  },
};
const run = (images: string[], config: JsonObject = {}, options = host) =>
  runCheck(inlineImages, config, checkInput({ images, provider: 'openai' }), createCheckHost(options));

describe('inline images', () => {
  it('puts the bytes of each format in the place of its URL', async () => {
    const inline = 'data:image/png;base64,AA==';
    const { pass, edits } = await run([
      'https://a.test/png',
      inline,
      ...['jpg', 'gif', 'webp'].map((name) => `https://a.test/${name}`),
    ]);
    assert.equal(pass, true);
    assert.deepEqual(
      [...(edits ?? [])].sort((a, b) => ('image' in a && 'image' in b ? a.image - b.image : 0)),
      [
        { image: 0, mediaType: 'image/png', data: bytes.png.toString('base64') },
        { image: 2, mediaType: 'image/jpeg', data: bytes.jpeg.toString('base64') },
        { image: 3, mediaType: 'image/gif', data: bytes.gif.toString('base64') },
        { image: 4, mediaType: 'image/webp', data: bytes.webp.toString('base64') },
      ],
    );
  });

  it('takes the bytes of the image and no others of their buffer', async () => {
    const pool = Buffer.concat([Buffer.from('before'), bytes.png, Buffer.from('after')]);
    const body = pool.subarray(6, 6 + bytes.png.length);
    const fetch = () => ({ status: 200, headers: { 'content-type': 'image/png' }, body });
    const { edits } = await run(['https://a.test/png'], {}, { fetch });
    assert.deepEqual(edits, [{ image: 0, mediaType: 'image/png', data: bytes.png.toString('base64') }]);
  });

  it('leaves what cannot be had as it is, and says why without the URL', async () => {
    const names = ['lie', 'other', 'page', 'gone', 'nowhere'];
    const { pass, edits, data } = await run([
      ...names.map((name) => `https://a.test/${name}?sig=s`),
      'http://127.0.0.1/x',
    ]);
    assert.equal(pass, true);
    assert.deepEqual(edits, []);
    const type = 'is not what its content type says, or no PNG, JPEG, GIF or WebP';
    assert.deepEqual(data, {
      inlined: 0,
      left: [
        { image: 0, reason: type },
        { image: 1, reason: type },
        { image: 2, reason: type },
        { image: 3, reason: 'was answered with status 404' },
        { image: 4, reason: 'could not be fetched' },
        { image: 5, reason: 'has a URL that is not called' },
      ],
    });
  });

  it('fetches at most twenty, within the bounds that it is given', async () => {
    const watched = createCheckHost(host);
    const images = Array.from({ length: 21 }, () => 'https://a.test/png');
    const config = { maxSizeBytes: 5000, timeoutMs: 700 };
    const { data } = await runCheck(inlineImages, config, checkInput({ images }), watched);
    assert.equal(watched.fetched.length, 20);
    assert.ok(watched.fetched.every(({ request }) => request.maxBytes === 5000 && request.timeoutMs === 700));
    assert.deepEqual(data, { inlined: 20, left: [{ image: 20, reason: 'is beyond the first 20' }] });
  });

  it('leaves an image that is larger than allowed', async () => {
    const { data } = await run(['https://a.test/png'], { maxSizeBytes: 9 });
    assert.deepEqual(data, {
      inlined: 0,
      left: [{ image: 0, reason: 'is larger than maxSizeBytes, or its answer cannot be read' }],
    });
  });
});

const input = { images: ['https://a.test/gone'], provider: 'openai' };
testCheck(inlineImages, {
  pass: [
    {
      name: 'requests to other providers without a call',
      input,
      config: { providers: ['bedrock'], failOnError: true },
    },
    { name: 'requests without images', config: { failOnError: true } },
  ],
  error: [
    {
      name: 'an image that cannot be had, where that is an error',
      input,
      config: { failOnError: true, providers: ['openai'] },
      host,
      code: 'check_failed',
      message: /^Image 0 was answered with status 404\.$/,
    },
    { name: 'the end of its time', input, host: { ...host, signal: AbortSignal.abort() }, code: 'request_timeout' },
  ],
  refused: [
    { config: { maxSizeBytes: 0 }, message: /maxSizeBytes/ },
    { config: { maxSizeBytes: 104_857_601 }, message: /maxSizeBytes/ },
    { config: { providers: 'openai' }, message: /providers/ },
  ],
});
