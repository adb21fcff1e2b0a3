import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type FormFile, GatewayError, type JsonObject } from 'portcullis/sdk';
import { encodeForm, readForm } from '../../../core/uploads/index.ts';
import { contentOf, type SpoolServer, spooledOf, startSpoolServer } from './spool-server.ts';

const closing: (() => unknown)[] = [];
let server: SpoolServer;
before(async () => {
  server = await startSpoolServer({ after: (close) => closing.push(close as () => unknown) });
});
after(() => {
  for (const close of closing) close();
});

const isPlain = (text: string) => text !== '' && !/[\p{Cc}\u2028\u2029\ufffd]/u.test(text);
const name = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter(isPlain),
  fc.constantFrom('model', 'image[]', '__proto__', 'a"b', 'a\\b', 'a\\', '\\"', ';', 'filename="x"', '1', "it's"),
);
const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('', '\r\n', '--', '\r\n--', '\ufeff', 'a\r\n--portcullis-', 'null', '1'),
);
/** A list is one where its name ends in `[]`, or where it has two items: a form cannot tell otherwise. */
const fields = fc
  .uniqueArray(fc.tuple(name, fc.array(value, { minLength: 1, maxLength: 3 })), {
    selector: ([key]) => key,
    maxLength: 8,
  })
  .map(
    (all): JsonObject =>
      Object.fromEntries(
        all.map(([key, [first = '', ...more]]) => [
          key,
          more.length > 0 || key.endsWith('[]') ? [first, ...more] : first,
        ]),
      ),
  );
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .array(fc.constantFrom('\r', '\n', '-', '--', '\r\n--', '--portcullis-', 'a', '\0'), { maxLength: 60 })
    .map((all) => Buffer.from(all.join(''))),
  fc.integer({ min: 1, max: 200_000 }).map((size) => Buffer.alloc(size, '\r\n--portcullis-')),
);
const file = fc
  .record({
    field: name,
    filename: fc.oneof(
      fc.constantFrom('a.wav', 'naïve ✓.jsonl', "it's; x=y.txt", '...a'),
      fc.stringMatching(/^[a-z][\w .()-]{0,20}[a-z]$/),
    ),
    contentType: fc.constantFrom(
      'audio/wav',
      'application/octet-stream',
      'text/csv; charset="utf-8"',
      'application/json',
      'image/svg+xml',
    ),
    bytes,
  })
  .map(({ bytes: content, ...head }): FormFile => ({ ...head, size: content.length, open: spooledOf(content).open }));
const form = fc.tuple(fields, fc.array(file, { maxLength: 4 }));

async function comparable(given: JsonObject, files: readonly FormFile[]): Promise<unknown> {
  const contents = files.map(async (one) => [one.field, one.filename, one.contentType, one.size, await contentOf(one)]);
  // Two objects may differ in the order of their fields; what has `__proto__` as a field is compared as well.
  return [Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1)), await Promise.all(contents)];
}

describe('a form that is encoded and read again', () => {
  for (const [where, memoryBytes] of [
    ['memory', 10_000_000],
    ['disk', 0],
  ] as const) {
    it(`is what it was, from ${where}`, async () => {
      await fc.assert(
        fc.asyncProperty(form, async ([given, files]) => {
          fc.pre(Object.keys(given).length + files.length > 0);
          const { body, contentType } = encodeForm(given, files);
          const sent = await contentOf(body);
          assert.equal(sent.length, body.size);
          const spooled = await server.spooled(sent, { memoryBytes });
          const read = await readForm(spooled, contentType);
          assert.deepEqual(await comparable(read.fields, read.files), await comparable(given, files));
          await spooled.release();
        }),
        { numRuns: 150 },
      );
    });
  }

  it('is what another reader makes of it', async () => {
    const simple = fc.stringMatching(/^[a-z][\w[\]]{0,10}$/);
    const plain = fc.dictionary(simple, fc.string({ unit: 'grapheme', maxLength: 30 }), {
      maxKeys: 6,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(plain, fc.array(file, { maxLength: 3 }), async (given, files) => {
        fc.pre(Object.keys(given).length + files.length > 0);
        const named = files.map((one, index) => ({ ...one, field: `f${index}` }));
        const { body, contentType } = encodeForm(given, named);
        const response = new Response(await contentOf(body), { headers: { 'content-type': contentType } });
        const entries = [...(await response.formData()).entries()].map(async ([key, item]) =>
          typeof item === 'string' ? [key, item] : [key, item.name, Buffer.from(await item.bytes())],
        );
        const expected = [
          ...Object.entries(given),
          ...(await Promise.all(named.map(async (one) => [one.field, one.filename, await contentOf(one)]))),
        ];
        assert.deepEqual(await Promise.all(entries), expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe('any bytes at all', () => {
  const crumbs = [
    '--b',
    '--b--',
    '\r\n',
    '\r',
    '\n',
    '-',
    ' ',
    'content-disposition: form-data; name="a"',
    '; filename="f"',
    'content-type: a/b',
    '\r\n\r\n',
    'x',
    ':',
    '"',
    '\xff',
    '\0',
  ];
  const soup = fc.array(
    fc.oneof(fc.constantFrom(...crumbs), fc.constant('\r\n--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n')),
    { maxLength: 40 },
  );

  async function outcome(body: Uint8Array, pieceBytes: number): Promise<unknown> {
    try {
      const { fields: given, files } = await readForm(spooledOf(body, pieceBytes), 'multipart/form-data; boundary=b');
      return await comparable(given, files);
    } catch (error) {
      assert.ok(GatewayError.is(error), String(error));
      assert.equal(error.code, 'bad_request');
      return 'refused';
    }
  }

  it('are read or refused, alike in whichever pieces they come', async () => {
    await fc.assert(
      fc.asyncProperty(soup, fc.integer({ min: 1, max: 40 }), async (all, pieceBytes) => {
        const body = Buffer.from(`--b\r\n${all.join('')}`, 'latin1');
        assert.deepEqual(await outcome(body, pieceBytes), await outcome(body, body.length));
      }),
      { numRuns: 2000 },
    );
  });
});
