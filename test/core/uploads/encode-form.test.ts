import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FormFile, JsonObject } from 'portcullis/sdk';
import { encodeForm } from '../../../core/uploads/index.ts';
import { contentOf, spooledOf } from './spool-server.ts';

async function encoded(fields: JsonObject, files: readonly FormFile[] = []): Promise<string> {
  const { body, contentType } = encodeForm(fields, files);
  const [, boundary = ''] = /^multipart\/form-data; boundary=(portcullis-[\da-f-]{36})$/.exec(contentType) ?? [];
  const bytes = await contentOf(body);
  assert.equal(bytes.length, body.size);
  return bytes.toString('utf8').replaceAll(boundary, 'b').replaceAll('\r\n', '\n');
}

const part = (name: string, value: string) => `--b\ncontent-disposition: form-data; name="${name}"\n\n${value}\n`;
const fileOf = (text: string, head: Partial<FormFile> = {}): FormFile => {
  const { size, open } = spooledOf(Buffer.from(text));
  return { field: 'file', filename: 'a.txt', contentType: 'text/plain', size, open, ...head };
};

describe('an encoded form', () => {
  const values: readonly (readonly [what: string, fields: JsonObject, body: string])[] = [
    ['a string as it is', { a: ' "1"\n' }, part('a', ' "1"\n')],
    ['numbers as text', { a: 0, b: -1.5e-7 }, part('a', '0') + part('b', '-1.5e-7')],
    ['booleans as text', { a: true, b: false }, part('a', 'true') + part('b', 'false')],
    ['an object as JSON', { a: { b: [1, null] } }, part('a', '{"b":[1,null]}')],
    [
      'a list as a field for each item',
      { a: ['x', 1, { c: 2 }, [3]] },
      ['x', '1', '{"c":2}', '[3]'].map((text) => part('a', text)).join(''),
    ],
    ['nothing for null, wherever', { a: null, b: [null, 'x', null], c: [] }, part('b', 'x')],
    ['a name with quotes and backslashes', { 'a"\\': '1' }, part('a\\"\\\\', '1')],
    ['a field named __proto__', JSON.parse('{"__proto__":"1"}') as JsonObject, part('__proto__', '1')],
  ];
  for (const [what, fields, body] of values) {
    it(`holds ${what}`, async () => assert.equal(await encoded(fields), `${body}--b--\n`));
  }

  it('holds the fields before the files, each file with its type', async () => {
    const files = [fileOf('one'), fileOf('two', { field: 'image[]', filename: 'b.png', contentType: 'image/png' })];
    assert.equal(
      await encoded({ model: 'm' }, files),
      `${part('model', 'm')}--b\ncontent-disposition: form-data; name="file"; filename="a.txt"\ncontent-type: text/plain\n\none\n` +
        `--b\ncontent-disposition: form-data; name="image[]"; filename="b.png"\ncontent-type: image/png\n\ntwo\n--b--\n`,
    );
  });

  it('has a boundary of its own each time, and can be read many times', async () => {
    const [one, other] = [encodeForm({ a: '1' }, []), encodeForm({ a: '1' }, [])];
    assert.notEqual(one.contentType, other.contentType);
    const [first, second] = await Promise.all([contentOf(one.body), contentOf(one.body)]);
    assert.ok(first.equals(second));
  });

  it('trusts no name and no type of a file, whoever gives them', async () => {
    const file = fileOf('x', { filename: '../a"\r\nx: y\\b', contentType: 'a/b\r\nx: y' });
    assert.match(
      await encoded({}, [file]),
      /name="file"; filename="b"\ncontent-type: application\/octet-stream\n\nx\n/,
    );
  });

  for (const name of ['', 'a\r\nb', 'a\n', '\u0000', '\u007f']) {
    it(`refuses the name ${JSON.stringify(name)}`, () => {
      assert.throws(() => encodeForm({ [name]: 'x' }, []), { code: 'bad_request' });
      assert.throws(() => encodeForm({}, [fileOf('x', { field: name })]), { code: 'bad_request' });
    });
  }

  it('reads its files no earlier than it is read itself', async () => {
    let opened = 0;
    const file = fileOf('x');
    const watched = {
      ...file,
      open: () => {
        opened += 1;
        return file.open();
      },
    };
    const { body } = encodeForm({}, [watched, watched]);
    const reading = body.open()[Symbol.asyncIterator]();
    await reading.next();
    assert.equal(opened, 0);
    await reading.next();
    assert.equal(opened, 1);
    await reading.return?.();
    assert.equal(opened, 1);
  });
});
