import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from 'portcullis/sdk';
import { readForm } from '../../../core/uploads/index.ts';
import { contentOf, spooledOf } from './spool-server.ts';

const type = 'multipart/form-data; boundary=b';

interface Read {
  readonly fields: JsonObject;
  readonly files: readonly (readonly [field: string, filename: string, contentType: string, content: string])[];
}

/** Read in one piece and in small ones, which must come to the same. */
async function read(body: string | Uint8Array, contentType = type): Promise<Read> {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const whole = await readIn(bytes, contentType, bytes.length || 1);
  for (const pieceBytes of bytes.length < 5000 ? [1, 2, 3, 7, 64] : [65_536])
    assert.deepEqual(await readIn(bytes, contentType, pieceBytes), whole, `in pieces of ${pieceBytes}`);
  return whole;
}

async function readIn(bytes: Uint8Array, contentType: string, pieceBytes: number): Promise<Read> {
  const { fields, files } = await readForm(spooledOf(bytes, pieceBytes), contentType);
  const read = files.map(async (file) => {
    const content = await contentOf(file);
    assert.equal(file.size, content.length);
    return [file.field, file.filename, file.contentType, content.toString('latin1')] as const;
  });
  return { fields, files: await Promise.all(read) };
}

const part = (head: string, content = '') => `--b\r\n${head}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) => part(`content-disposition: form-data; name="${name}"`, value);
const file = (head: string, content = 'abc') => part(`content-disposition: form-data; ${head}`, content);
const end = '--b--\r\n';

describe('a form', () => {
  it('gives its fields and files', async () => {
    const body = `${field('model', 'm')}${file('name="file"; filename="a.wav"\r\ncontent-type: audio/wav')}${field('n', '1')}${end}`;
    assert.deepEqual(await read(body), {
      fields: { model: 'm', n: '1' },
      files: [['file', 'a.wav', 'audio/wav', 'abc']],
    });
  });

  const accepted: readonly (readonly [what: string, body: string, Json])[] = [
    ['a field twice, as a list', field('a', '1') + field('b', 'x') + field('a', '2') + end, { a: ['1', '2'], b: 'x' }],
    ['a name that ends in [], as a list under that name', field('a[]', '1') + end, { 'a[]': ['1'] }],
    ['both spellings, apart', field('a', '1') + field('a[]', '2') + end, { a: '1', 'a[]': ['2'] }],
    ['an empty value', field('a', '') + end, { a: '' }],
    ['line breaks in a value', field('a', '\r\n1\n2\r\n') + end, { a: '\r\n1\n2\r\n' }],
    ['what is like a boundary', field('a', '-b\r\n-b--\r\n--a\r\n--') + end, { a: '-b\r\n-b--\r\n--a\r\n--' }],
    ['a text before and after it', `hello\r\n${field('a', '1')}${end}more\r\n--b\r\n`, { a: '1' }],
    ['no line break at its end', `${field('a', '1')}--b--`, { a: '1' }],
    ['header names and parameters of any case', part('CONTENT-Disposition: Form-Data; NAME=a', '1') + end, { a: '1' }],
    ['a name without quotes', part('content-disposition: form-data; name=a', '1') + end, { a: '1' }],
    ['a header that goes on', part('content-disposition: form-data;\r\n name="a"', '1') + end, { a: '1' }],
    [
      'a field that says its type',
      part('content-disposition: form-data; name="a"\r\ncontent-type: application/json', '{}') + end,
      { a: '{}' },
    ],
    [
      'a charset that is the usual one',
      part('content-disposition: form-data; name="a"\r\ncontent-type: text/plain; charset=UTF-8', '1') + end,
      { a: '1' },
    ],
    ['quotes and backslashes in a name', field('a\\"b\\\\c\\d', '1') + end, { 'a"b\\c\\d': '1' }],
    ['a semicolon in a name', field('a; filename=', '1') + end, { 'a; filename=': '1' }],
    ['text in UTF-8', Buffer.from(field('é', '✓ \ufeff') + end).toString('latin1'), { é: '✓ \ufeff' }],
    [
      'a nested form, as text',
      part(
        'content-disposition: form-data; name="a"',
        '--c\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n--c--',
      ) + end,
      { a: '--c\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n--c--' },
    ],
  ];
  for (const [what, body, fields] of accepted) {
    it(`may have ${what}`, async () => assert.deepEqual(await read(body), { fields, files: [] }));
  }

  it('may have a field named __proto__, which is a field', async () => {
    const { fields } = await read(field('__proto__', 'a') + field('constructor', 'b') + end);
    assert.deepEqual(Object.entries(fields), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    assert.equal(Object.getPrototypeOf(fields), Object.prototype);
  });

  const boundaries = ['b', '"b"', 'b; charset=utf-8', '"b" ; a=b'];
  for (const boundary of boundaries) {
    it(`has the boundary ${boundary}`, async () => {
      const { fields } = await read(field('a', '1') + end, `multipart/form-data; boundary=${boundary}`);
      assert.deepEqual(fields, { a: '1' });
    });
  }

  it('has a boundary of 70 characters, with those that need quotes', async () => {
    const boundary = `a b:c(d)?='/+_,-.${'x'.repeat(53)}`;
    const body = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--`;
    assert.deepEqual((await read(body, `Multipart/Form-Data; Boundary="${boundary}"`)).fields, { a: '1' });
  });
});

describe('a file of a form', () => {
  const unknown = 'application/octet-stream';
  const files: readonly (readonly [what: string, head: string, filename: string, contentType: string])[] = [
    ['has no type', 'filename="a.bin"', 'a.bin', unknown],
    ['has an empty name', 'filename=""', 'file', unknown],
    ['has no name but a type', 'x=""\r\ncontent-type: image/png', 'file', 'image/png'],
    ['has a path of one kind', 'filename="/etc/../passwd"', 'passwd', unknown],
    ['has a path of the other kind', 'filename="C:\\Users\\a.txt"', 'a.txt', unknown],
    ['is named as a folder', 'filename="a/.."', 'file', unknown],
    ['has quotes in its name', 'filename="a\\"; name=\\"b.txt"', 'a; name=b.txt', unknown],
    ['has control characters in its name', 'filename="a\u0000\t\u001b[1mb.txt"', 'a[1mb.txt', unknown],
    ['has an encoded name', 'filename="x"; filename*=UTF-8\'\'na%C3%AFve%2F%0D%0A.txt', '.txt', unknown],
    ['has an encoded name that is none', 'filename="x"; filename*=UTF-8\'\'%', 'x', unknown],
    [
      'has a type with parameters',
      'filename="a"\r\ncontent-type: text/csv; charset="utf-8"; header=present',
      'a',
      'text/csv; charset="utf-8"; header=present',
    ],
    ['has a type that is none', 'filename="a"\r\ncontent-type: audio', 'a', unknown],
    ['has a type of control characters', 'filename="a"\r\ncontent-type: a/b;\u0001', 'a', unknown],
    ['has an empty type', 'filename="a"\r\ncontent-type:', 'a', unknown],
  ];
  for (const [what, head, filename, contentType] of files) {
    it(`${what}: ${filename}, ${contentType}`, async () => {
      const { files } = await read(file(`name="f"; ${head}`) + end);
      assert.deepEqual(files, [['f', filename, contentType, 'abc']]);
    });
  }

  it('has a name of at most 200 characters, its end among them', async () => {
    const [[, filename = ''] = []] = (await read(file(`name="f"; filename="${'a'.repeat(300)}.jsonl"`) + end)).files;
    assert.equal(filename.length, 200);
    assert.match(filename, /a\.jsonl$/);
  });

  it('may be empty', async () => {
    const { files } = await read(file('name="f"; filename="a"', '') + file('name="g"; filename="b"', '') + end);
    assert.deepEqual(
      files.map(([field, , , content]) => [field, content]),
      [
        ['f', ''],
        ['g', ''],
      ],
    );
  });

  it('may hold whatever is like a boundary', async () => {
    const content = '\r\n--\r\n--a\r\n--c\r\n\r--b\r\n-b\r\n--B--\r\n\n--b--\r\n';
    const { files } = await read(file('name="f"; filename="a"', content) + field('z', '1') + end);
    assert.equal(files[0]?.[3], content);
  });

  it('may be one of several of the same name, each with its own bytes', async () => {
    const images = ['one', 'two', 'three'].map((text) => file(`name="image[]"; filename="${text}"`, text));
    const { files } = await read(images.join(field('n', '1')) + end);
    assert.deepEqual(
      files.map(([, filename, , content]) => [filename, content]),
      [
        ['one', 'one'],
        ['two', 'two'],
        ['three', 'three'],
      ],
    );
  });

  it('is read by several at once, from large pieces', async () => {
    const content = Buffer.alloc(300_000, 'content \r\n--');
    const body = Buffer.concat([
      Buffer.from(file('name="f"; filename="a"', '#').split('#')[0] ?? ''),
      content,
      Buffer.from(`\r\n${end}`),
    ]);
    const { files } = await readForm(spooledOf(body, 65_536), type);
    const [first] = files;
    assert.ok(first !== undefined);
    for (const copy of await Promise.all([contentOf(first), contentOf(first), contentOf(first)]))
      assert.ok(copy.equals(content));
  });
});

describe('what is no form', () => {
  const whole = field('a', '1') + end;
  const refused: readonly (readonly [what: string, body: string | Uint8Array, says: RegExp, contentType?: string])[] = [
    ['has another type', whole, /must be multipart\/form-data/, 'application/json'],
    ['is of another multipart type', whole, /must be multipart\/form-data/, 'multipart/mixed; boundary=b'],
    ['has no boundary', whole, /has no boundary/, 'multipart/form-data'],
    ['has an empty boundary', whole, /has no boundary/, 'multipart/form-data; boundary=""'],
    ['has two boundaries', whole, /must be multipart\/form-data/, 'multipart/form-data; boundary=a; boundary=b'],
    ['has a boundary that is too long', whole, /1 to 70/, `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['has a huge boundary', whole, /1 to 70/, `multipart/form-data; boundary=${'b'.repeat(100_000)}`],
    ['has a boundary that is no text', whole, /1 to 70/, 'multipart/form-data; boundary=é'],
    ['has a boundary that ends in a blank', whole, /1 to 70/, 'multipart/form-data; boundary="b "'],
    ['has another boundary', whole, /truncated/, 'multipart/form-data; boundary=c'],
    ['is empty', '', /truncated/],
    ['has no parts', end, /no parts/],
    ['lacks its last boundary', field('a', '1'), /truncated/],
    ['lacks it after a file', file('name="f"; filename="a"'), /truncated/],
    ['lacks it within a file', `${file('name="f"; filename="a"').slice(0, -3)}`, /truncated/],
    ['ends within a header', '--b\r\ncontent-dispo', /truncated/],
    [
      'ends its last part within the header',
      '--b\r\ncontent-disposition: form-data; name="a"\r\n--b--\r\n',
      /Part 1 .* truncated/,
    ],
    [
      'ends a part within its header',
      `--b\r\ncontent-disposition: form-data; name="a"\r\n${whole}`,
      /Part 1 .* truncated/,
    ],
    ['has a part without a header', `--b\r\n\r\n1\r\n${end}`, /Part 1 .* content-disposition/],
    [
      'has a part of another disposition',
      part('content-disposition: attachment; name="a"') + end,
      /Part 1 .* form-data/,
    ],
    [
      'has a part with two dispositions',
      part('content-disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"') + end,
      /Part 1 .* one content-disposition/,
    ],
    [
      'has a part with two names',
      field('a', '1') + part('content-disposition: form-data; name="a"; name="b"') + end,
      /Part 2 .* one content-disposition/,
    ],
    ['has a field without a name', part('content-disposition: form-data') + end, /Part 1 .* has no name/],
    ['has a field with an empty name', field('', '1') + end, /Part 1 .* has no name/],
    ['has a file without a name', file('filename="a"') + end, /Part 1 .* has no name/],
    [
      'has a name that does not end',
      part('content-disposition: form-data; name="a') + end,
      /Part 1 .* content-disposition/,
    ],
    ['has a bare line break in a name', field('a\nb', '1') + end, /Part 1 .* content-disposition/],
    ['has a carriage return in a name', field('a\rb', '1') + end, /Part 1 .* content-disposition/],
    ['has a control character in a name', field('a\u0000b', '1') + end, /Part 1 .* no text/],
    ['has a name that is not UTF-8', field('\xff', '1') + end, /Part 1 .* no text of UTF-8/],
    ['has a value that is not UTF-8', field('a', '\xff') + end, /field "a" .* not text in UTF-8/],
    [
      'has a field of another charset',
      part('content-disposition: form-data; name="a"\r\ncontent-type: text/plain; charset=utf-16') + end,
      /Part 1 .* charset/,
    ],
    [
      'has a header of 100 kB',
      part(`content-disposition: form-data; name="${'a'.repeat(100_000)}"`) + end,
      /header of part 1 .* 16384 bytes/,
    ],
    [
      'has a header of 17 kB',
      part(`content-disposition: form-data; name="a"\r\nx: ${'a'.repeat(17_000)}`) + end,
      /header of part 1 .* 16384 bytes/,
    ],
    [
      'has a header of 3,000 lines',
      part(`${'x:\r\n'.repeat(3000)}content-disposition: form-data; name="a"`) + end,
      /header of part 1 .* 100 lines/,
    ],
    ['has 1,001 parts', field('a', '1').repeat(1001) + end, /more than the 1000 parts/],
    ['has 10,000 parts', file('name="a"; filename="a"').repeat(10_000) + end, /more than the 1000 parts/],
    ['has a field of more than 1 MiB', field('a', 'x'.repeat(1_048_577)) + end, /field "a" .* 1048576 bytes/],
    ['has fields of more than 4 MiB', field('a', 'x'.repeat(1_000_000)).repeat(5) + end, /together .* 4194304 bytes/],
    ['is other bytes', Buffer.alloc(100_000, 7), /truncated/],
  ];
  for (const [what, body, says, contentType] of refused) {
    it(`${what}: refused`, async () => {
      await assert.rejects(read(body, contentType), { code: 'bad_request', status: 400, message: says });
    });
  }

  it('ends too early, wherever: refused', async () => {
    const body = Buffer.from(
      field('a', '1') + file('name="f"; filename="a"\r\ncontent-type: a/b', 'abc\r\n') + end.slice(0, -2),
    );
    for (let length = 0; length < body.length; length += 1) {
      for (const pieceBytes of [1, 50, body.length])
        await assert.rejects(
          readIn(body.subarray(0, length), type, pieceBytes),
          { code: 'bad_request', message: /truncated/ },
          `after ${length} bytes`,
        );
    }
    await readIn(body, type, 1);
  });

  it('holds 1,000 parts: accepted', async () => {
    const { fields } = await read(field('a', '1').repeat(1000) + end);
    assert.equal((fields.a as readonly string[]).length, 1000);
  });
});
