import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as sdk from 'portcullis/sdk';
import lean from '../../../sdk/guest/type.ts';
import * as guest from '../../../sdk/guest.ts';
import { programOf, runOf, testSandbox } from './sandboxed.ts';

describe('the sdk of the sandbox', () => {
  it('has nothing that the sdk does not have', () => {
    assert.ok(Object.keys(guest).length > 15);
    assert.deepEqual(
      Object.keys(guest).filter((name) => !(name in sdk)),
      [],
    );
  });

  // Each call is made with both, and must give the same JSON.
  const calls: Readonly<Record<string, (type: typeof sdk.schema) => unknown>> = {
    'simple types': (type) => [
      type.String({ minLength: 1 }),
      type.Number(),
      type.Integer(),
      type.Boolean(),
      type.Null(),
    ],
    'any value': (type) => [type.Any(), type.Unknown({ description: 'x' }), type.Unsafe({ type: 'string' })],
    literals: (type) => [type.Literal('a'), type.Literal(1), type.Literal(true, { description: 'x' })],
    enumerations: (type) => [type.Enum(['a', 'b']), type.Enum({ A: 'x', B: 'y' }), type.Enum(['a'], { default: 'a' })],
    unions: (type) => type.Union([type.String(), type.Null()], { default: null }),
    lists: (type) => [type.Array(type.String(), { maxItems: 2 }), type.Tuple([type.String(), type.Number()])],
    records: (type) => type.Record(type.String(), type.Number(), { maxProperties: 3 }),
    objects: (type) => [
      type.Object({}),
      type.Object({ a: type.String(), b: type.Optional(type.Number({ minimum: 1 })) }, { additionalProperties: false }),
      type.Object({ b: type.Optional(type.Array(type.Object({ c: type.Integer({ default: 1 }) }))) }),
    ],
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`makes the same schemas: ${name}`, () => {
      assert.equal(JSON.stringify(call(lean as unknown as typeof sdk.schema)), JSON.stringify(call(sdk.schema)));
    });
  }

  for (const url of ['https://api.example.com/v1/', 'http://localhost:8080', 'https://a.b/c//']) {
    it(`takes the base ${url} as the sdk does`, () => {
      assert.equal(guest.baseUrl(url, '', 'customHost').replace(/\/+$/, ''), sdk.baseUrl(url, '', 'customHost'));
    });
  }
  for (const url of ['ftp://a.b', 'a.b', 'https://user:key@a.b', 'https://a.b?x=1', 'https://a.b#x', 'https://']) {
    it(`refuses the base ${url} as the sdk does`, () => {
      for (const { baseUrl } of [guest, sdk])
        assert.throws(() => baseUrl(url, '', 'customHost'), /must be an absolute http/);
    });
  }
});

describe('UTF-8 in the sandbox', () => {
  const { sandbox } = testSandbox();
  const wellFormed = ['', 'abc', 'äß', '漢字', '😀👨‍👩‍👧', '\u0000\u007f\u0080\u07ff\u0800\uffff\u{10000}\u{10ffff}'];
  const bytes = [
    [0xff],
    [0xc3],
    [0xc3, 0x28],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
    [0xed, 0xa0, 0x80],
    [0xc0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xef, 0xbb, 0xbf, 0x41],
    [0x80, 0x41],
  ];

  it('is written and read as Node does', async () => {
    const source = `export default () => {
      const texts = ${JSON.stringify([...wellFormed, '\ud800', 'a\udc00b'])};
      return { pass: true, data: texts.map((text) => [...new TextEncoder().encode(text)]) };
    }`;
    const encoder = new TextEncoder();
    const { data } = await runOf(sandbox, await programOf(source));
    assert.deepEqual(
      data,
      [...wellFormed, '\ud800', 'a\udc00b'].map((text) => [...encoder.encode(text)]),
    );
  });

  it('is read as Node does where it is well formed, and never throws where it is not', async () => {
    const all = [...wellFormed.map((text) => [...Buffer.from(text)]), ...bytes];
    const source = `export default () => ({ pass: true, data: ${JSON.stringify(all)}.map((bytes) => new TextDecoder().decode(new Uint8Array(bytes))) })`;
    const { data } = await runOf(sandbox, await programOf(source));
    const decoder = new TextDecoder();
    const collapsed = (text: string) => text.replace(/\ufffd+/g, '\ufffd');
    assert.deepEqual(
      (data as string[]).map(collapsed),
      all.map((each) => collapsed(decoder.decode(new Uint8Array(each)))),
    );
  });
});
