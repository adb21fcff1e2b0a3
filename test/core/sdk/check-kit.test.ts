import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callJson, check, GatewayError, type Manifest, schema } from 'portcullis/sdk';
import {
  checkInput,
  createCheckHost,
  editedTexts,
  readyCheck,
  runCheck,
  testCheck,
  verdictFaults,
  visibleInput,
} from 'portcullis/sdk/testing';

const closed = { additionalProperties: false };

const forbids = check({
  title: 'Forbidden word',
  config: schema.Object(
    { word: schema.String({ minLength: 1, default: 'no' }), hide: schema.Optional(schema.Boolean()) },
    closed,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  prepare: ({ word, hide }) => {
    if (word === '*') throw new GatewayError('invalid_config', 'word must be a word, not *.', { param: 'word' });
    return { word, hide };
  },
  accept: async ({ word }) => {
    if (word === '?') throw new GatewayError('invalid_config', 'word must be a word, not ?.', { param: 'word' });
  },
  run: ({ texts }, { word, hide }) => {
    if (texts.some(({ text }) => text === '')) throw new GatewayError('check_failed', 'There is an empty text.');
    const edits = texts.flatMap(({ index, text }) => {
      const start = text.indexOf(word);
      return start === -1 ? [] : [{ text: index, start, end: start + word.length, with: '***' }];
    });
    if (edits.length === 0 || hide === true) return { pass: true, edits };
    return { pass: false, why: 'A forbidden word was found.', data: { texts: edits.length } };
  },
});

testCheck(forbids, {
  pass: [
    { text: 'yes' },
    { text: 'oh no', config: { hide: true }, edited: ['oh ***'] },
    { input: { texts: [{ text: 'no' }, { text: 'yes', role: 'assistant' }] }, config: { word: 'ja' } },
  ],
  fail: [
    { text: 'no', why: 'A forbidden word was found.', data: { texts: 1 } },
    { name: 'a reply', text: 'nein', config: { word: 'nein' }, phase: 'afterRequest', why: /forbidden/ },
  ],
  error: [{ text: '', code: 'check_failed', message: /empty/ }],
  refused: [
    { config: { word: '' }, message: /word must NOT have fewer/ },
    { config: { wrod: 'x' }, message: /wrod/ },
    { config: { word: '*' }, message: /not \*/ },
    { config: { word: '?' }, message: /not \?/ },
  ],
});

describe('an input of a check', () => {
  it('holds one text of the user before a request, and of the assistant after it', () => {
    assert.deepEqual(checkInput({ text: 'Hi' }).texts, [
      { index: 0, role: 'user', kind: 'text', message: 0, text: 'Hi' },
    ]);
    assert.equal(checkInput({ phase: 'afterRequest' }).texts[0]?.role, 'assistant');
  });
  it('joins what people read, and all', () => {
    const texts = [{ text: 'a' }, { text: '{}', kind: 'tool-arguments' as const }, { text: 'b' }];
    const { text, content } = checkInput({ texts });
    assert.deepEqual([text, content], ['a\n{}\nb', 'a\nb']);
    assert.equal(checkInput({ texts: [{ text: '{}', kind: 'tool-arguments' }] }).content, '{}');
  });
  it('takes turns and prompt from the texts', () => {
    const texts = [
      { text: 'rule', role: 'system' as const },
      { text: 'one', message: 1 },
      { text: 'two', message: 1 },
    ];
    const { turns, prompt } = checkInput({ texts });
    assert.deepEqual(turns, [
      { role: 'system', text: 'rule' },
      { role: 'user', text: 'one\ntwo' },
    ]);
    assert.equal(prompt, 'one\ntwo');
  });
  it('puts the prompt before the first choice of a reply', () => {
    const input = checkInput({ phase: 'afterRequest', prompt: 'q', texts: [{ text: 'a' }, { text: 'b', message: 1 }] });
    assert.deepEqual(input.turns, [
      { role: 'user', text: 'q' },
      { role: 'assistant', text: 'a' },
    ]);
  });
  it('takes the last turn for the text where there is no other', () => {
    const { text, prompt } = checkInput({
      turns: [
        { role: 'user', text: 'q' },
        { role: 'assistant', text: 'a' },
      ],
    });
    assert.deepEqual([text, prompt], ['a', 'q']);
  });
  it('is the same when it is made of itself', () => {
    const input = checkInput({ images: ['https://a.test/x.png'], text: 'Hi', metadata: { a: 'b' } });
    assert.deepEqual(checkInput(input), input);
  });
  it('is frozen throughout', () => {
    const { texts, body } = checkInput({ body: { messages: [{ role: 'user' }] } });
    assert.ok(Object.isFrozen(texts[0]));
    assert.ok(Object.isFrozen((body.messages as readonly unknown[])[0]));
  });
  it('shows a unit the parts that its manifest lists', () => {
    const manifest: Manifest = { ...unit, permissions: { request: ['metadata'] } };
    const input = checkInput({ body: { a: 1 }, reply: { b: 1 }, headers: { c: '1' }, metadata: { d: '1' } });
    const { body, reply, headers, metadata } = visibleInput(input, manifest);
    assert.deepEqual(
      { body, reply, headers, metadata },
      { body: {}, reply: undefined, headers: {}, metadata: { d: '1' } },
    );
  });
});

const unit: Manifest = { name: 'sample', kind: 'guardrail', version: '1.0.0', sdk: '^1.0.0', title: 'Sample' };
const reply = (body: string) => ({ status: 200, headers: {}, body: Buffer.from(body) });

describe('the host of checks', () => {
  const refused: readonly (readonly [string, (host: ReturnType<typeof createCheckHost>) => unknown])[] = [
    ['a call', (host) => host.fetch('https://vendor.test/')],
    ['a model', (host) => host.ask({ model: 'a/b', system: '', user: '', maxTokens: 1 })],
    ['a header', (host) => host.header('authorization')],
    ['the sandbox', (host) => host.code],
  ];
  for (const [what, use] of refused) {
    it(`refuses ${what} that the manifest does not grant`, async () => {
      await assert.rejects(async () => use(createCheckHost({ manifest: unit })), { code: 'forbidden' });
    });
  }
  it('keeps calls and questions that are granted', async () => {
    const manifest: Manifest = {
      ...unit,
      permissions: { net: ['*.vendor.test:443'], models: true, request: ['credentials'] },
    };
    const host = createCheckHost({ manifest, fetch: () => reply('{"a":1}'), ask: () => 'yes', headers: { a: 'b' } });
    assert.deepEqual(await callJson(host, { vendor: 'Vendor', url: 'https://api.vendor.test/x' }), { a: 1 });
    assert.equal(await host.ask({ model: 'a/b', system: '', user: '', maxTokens: 1 }), 'yes');
    assert.deepEqual([host.header('a'), host.header('toString')], ['b', undefined]);
    assert.deepEqual([host.fetched[0]?.url.href, host.asked[0]?.model], ['https://api.vendor.test/x', 'a/b']);
  });
  it('ends a call with the time of the check', async () => {
    const time = new AbortController();
    const host = createCheckHost({ signal: time.signal, fetch: () => new Promise(() => {}) });
    const calling = host.fetch('https://vendor.test/');
    time.abort();
    await assert.rejects(calling, { code: 'request_timeout' });
    await assert.rejects(host.fetch('https://vendor.test/'), { code: 'request_timeout' });
  });
  it('ends a call with its own time', async () => {
    const host = createCheckHost({ fetch: () => new Promise(() => {}) });
    await assert.rejects(host.fetch('https://vendor.test/', { timeoutMs: 1 }), { code: 'request_timeout' });
  });
  it('takes no larger reply than was asked for', async () => {
    const host = createCheckHost({ fetch: () => reply('12345') });
    await assert.rejects(host.fetch('https://vendor.test/', { maxBytes: 4 }), { code: 'upstream_invalid' });
    assert.equal((await host.fetch('https://vendor.test/', { maxBytes: 5 })).status, 200);
  });
  for (const url of ['/relative', 'file:///etc/passwd', 'https://user:pass@vendor.test/']) {
    it(`refuses to call ${url}`, async () => {
      await assert.rejects(createCheckHost().fetch(url), { code: 'bad_request' });
    });
  }
  it('caches copies, within bounds', () => {
    const { cache } = createCheckHost();
    const value = { list: [1] };
    cache.set('a', value, 1);
    value.list.push(2);
    assert.deepEqual(cache.get('a'), { list: [1] });
    cache.set('big', 'x'.repeat(16_384), 1);
    assert.equal(cache.get('big'), undefined);
    for (let at = 0; at < 1000; at += 1) cache.set(`key-${at}`, at, 60);
    assert.deepEqual([cache.get('a'), cache.get('key-0')], [undefined, 0]);
    assert.throws(() => cache.set('a', 1, 86_401), { code: 'bad_request' });
  });
});

describe('running a check', () => {
  it('fills defaults into a copy of the parameters', async () => {
    const parameters = Object.freeze({});
    assert.equal((await runCheck(forbids, parameters, checkInput({ text: 'no' }))).pass, false);
    assert.deepEqual(parameters, {});
  });
  it('names the parameter that does not fit', () => {
    assert.throws(() => readyCheck(forbids, { word: 1 }), { code: 'invalid_config', param: 'word' });
    assert.throws(() => readyCheck(forbids, { wrod: 'x' }), { code: 'invalid_config', param: 'wrod' });
  });
  it('refuses a verdict that the runner would not take', async () => {
    const careless = check({
      ...forbids,
      run: () => ({ pass: true, edits: [{ text: 3, start: 0, end: 1, with: '' }] }),
    });
    await assert.rejects(runCheck(careless, {}, checkInput()), /edits\[0\], which names text 3 of 1/);
  });
});

describe('the faults of a verdict', () => {
  const input = checkInput({ text: 'four', images: ['https://a.test/x.png'] });
  const edit = { text: 0, start: 0, end: 4, with: '' };
  const faults: readonly (readonly [string, 'may' | 'only' | undefined, object, RegExp])[] = [
    ['no verdict', 'may', {}, /pass is true or false/],
    ['an unknown member', 'may', { pass: true, reason: '' }, /reason/],
    ['data that are no JSON', 'may', { pass: true, data: { a: undefined } }, /no JSON/],
    ['data that are a Map', 'may', { pass: true, data: new Map() }, /no JSON/],
    ['data that are too large', 'may', { pass: true, data: 'x'.repeat(65_535) }, /65536 bytes/],
    ['edits that are not declared', undefined, { pass: true, edits: [edit] }, /does not declare/],
    ['an editor that judges', 'only', { pass: false }, /only edits/],
    ['an edit beyond the end', 'may', { pass: true, edits: [{ ...edit, end: 5 }] }, /from 0 to 5 in a text of 4/],
    [
      'an edit that ends before it starts',
      'may',
      { pass: true, edits: [{ ...edit, start: 3, end: 2 }] },
      /from 3 to 2/,
    ],
    [
      'an image that is not there',
      'may',
      { pass: true, edits: [{ image: 1, mediaType: 'a/b', data: '' }] },
      /image 1 of 1/,
    ],
  ];
  for (const [what, edits, verdict, message] of faults) {
    it(`name ${what}`, () => {
      const check = edits === undefined ? {} : { edits };
      assert.match(verdictFaults(check, input, verdict as never).join('; '), message);
    });
  }
  it('are none where there are none', () => {
    const verdict = { pass: false, why: 'So.', data: { a: [1, null, 'x'] }, edits: [edit] };
    assert.deepEqual(verdictFaults({ edits: 'may' }, input, verdict), []);
  });
});

describe('the texts after edits', () => {
  const input = checkInput({ texts: [{ text: 'a', role: 'system' }, { text: 'b' }, { text: 'c', message: 1 }] });
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    ['a place', { text: 1, start: 0, end: 1, with: 'x' }, ['a', 'x', 'c']],
    ['the start of a message', { message: 'user', at: 'start', add: '+' }, ['a', '+b', 'c']],
    ['the end of a message', { message: 'user', at: 'end', add: '+' }, ['a', 'b', 'c+']],
    ['a message of its own', { message: 'system', at: 'end', add: '+', apart: true }, ['+', 'a', 'b', 'c']],
    ['a message before one of its role', { message: 'user', at: 'start', add: '+', apart: true }, ['a', '+', 'b', 'c']],
    ['a message that is missing', { message: 'assistant', at: 'start', add: '+' }, ['a', 'b', 'c', '+']],
    ['a message that is made', { message: 'assistant', at: 'end', add: '+' }, ['a', 'b', 'c', '+']],
    ['a message that is not made', { message: 'assistant', at: 'end', add: '+', create: false }, ['a', 'b', 'c']],
  ];
  for (const [what, edit, texts] of rows) {
    it(`show ${what}`, () => assert.deepEqual(editedTexts(input, { pass: true, edits: [edit as never] }), texts));
  }
});
