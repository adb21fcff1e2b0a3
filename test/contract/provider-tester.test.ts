import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { JsonObject } from 'portcullis/sdk';
import { caseNames, readCase } from 'portcullis/sdk/testing';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** A provider outside the repository, with one whole case and one streamed case of our own. */
let folder: string;
let unit: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-tester-'));
  unit = join(folder, 'partner');
  await cp(join(root, 'providers/groq'), unit, { recursive: true, filter: (path) => !path.includes('fixtures') });
  await write('plugin.json', { name: 'partner', kind: 'provider', version: '2.1.0', sdk: '^1.0.0', title: 'Partner' });
  await writeFile(
    join(unit, 'index.ts'),
    `import { provider, schema, secret } from 'portcullis/sdk';
     export default provider({
       settings: schema.Object({ apiKey: secret() }),
       base: 'https://api.partner.test/v1',
       auth: { kind: 'bearer', from: 'apiKey' },
       endpoints: { chatComplete: { path: '/chat/completions', dialect: 'chat' }, proxy: { path: '' } },
     });`,
  );
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
  const settings = { api_key: 'test-key' };
  const request = {
    method: 'POST',
    url: 'https://api.partner.test/v1/chat/completions',
    headers: { authorization: 'Bearer test-key' },
  };
  await write('fixtures/chat.call.json', { path: '/v1/chat/completions', settings, body });
  await write('fixtures/chat.request.json', { ...request, body });
  await write('fixtures/chat.upstream.json', { status: 200, body: { id: 'x', choices: [] } });
  await write('fixtures/chat.reply.json', { status: 200, body: { id: 'x', choices: [] } });
  const streamed = { ...body, stream: true };
  await write('fixtures/stream.call.json', { path: '/v1/chat/completions', settings, body: streamed });
  await write('fixtures/stream.request.json', { ...request, body: streamed });
  await writeFile(join(unit, 'fixtures/stream.stream.txt'), 'data: {"id":"ü"}\n\ndata: [DONE]\n\n');
  await write('fixtures/stream.deltas.json', [{ data: { id: 'ü' } }, { data: '[DONE]' }]);
});
afterEach(() => rm(folder, { recursive: true }));

async function write(file: string, value: unknown): Promise<void> {
  const path = join(unit, file);
  if (file.includes('/'))
    await import('node:fs/promises').then(({ mkdir }) => mkdir(join(path, '..'), { recursive: true }));
  await writeFile(path, JSON.stringify(value));
}

/** Runs the tester over units in one process: each start of it costs seconds. */
async function tested(
  units: readonly string[] = [unit],
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const script = join(folder, 'run.test.mts');
  const testing = new URL('../../sdk/testing/index.ts', import.meta.url).href;
  await writeFile(
    script,
    `import { testProvider } from ${JSON.stringify(testing)};
     for (const unit of ${JSON.stringify(units)}) testProvider(unit);`,
  );
  const args = ['--test-reporter=tap', script];
  // The runner refuses to run inside another one unless this variable is gone.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    const { stdout } = await run(process.execPath, args, { cwd: root, env });
    return { passed: true, output: stdout };
  } catch (error) {
    return { passed: false, output: String((error as { stdout?: string }).stdout) };
  }
}

describe('the provider tester', () => {
  it('passes a provider outside the repository whose recordings fit, streams cut in three ways', async () => {
    const { passed, output } = await tested();
    assert.ok(passed, output);
    assert.match(output, /# pass 5/);
  });

  const faults: readonly (readonly [what: string, file: string, change: (text: string) => string])[] = [
    ['another URL', 'chat.request.json', (text) => text.replace('partner.test', 'other.test')],
    ['another header', 'chat.request.json', (text) => text.replace('Bearer test-key', 'Bearer other')],
    ['another request body', 'chat.request.json', (text) => text.replace('"Hi"', '"Ho"')],
    ['another reply', 'chat.reply.json', (text) => text.replace('"x"', '"y"')],
    ['another status', 'chat.reply.json', (text) => text.replace('200', '201')],
    ['another event', 'stream.deltas.json', (text) => text.replace('ü', 'u')],
    ['a missing setting', 'chat.call.json', (text) => text.replace('api_key', 'api_kay')],
  ];
  it('fails on each of these alone and names the file', async () => {
    const units = await Promise.all(
      faults.map(async ([, file, change], index) => {
        const copy = join(folder, String(index), 'partner');
        await cp(unit, copy, { recursive: true });
        const path = join(copy, 'fixtures', file);
        await writeFile(path, change(await readFile(path, 'utf8')));
        return copy;
      }),
    );
    const { output } = await tested(units);
    for (const [index, [what, file]] of faults.entries()) {
      const [, verdict = ''] = output.split(`not ok ${index + 1} - provider partner\n`);
      assert.notEqual(verdict, '', `${what} passes: ${output}`);
      const told = file === 'chat.call.json' ? 'api_kay' : join(units[index] ?? '', 'fixtures', file);
      assert.ok(output.includes(told), `${what}: ${output}`);
    }
  });
});

/** A form and bytes on their way through, in each way in which a case may write them. */
async function writeBytesCases(): Promise<void> {
  const settings = { api_key: 'test-key' };
  const file = { name: 'file', filename: 'a.bin', type: 'application/x-a', base64: '/wD+' };
  const form = [{ name: 'model', value: 'm' }, { name: 'tag', value: '1' }, { name: 'tag', value: '2' }, file];
  const text = { name: 'note', filename: 'n.txt', type: 'text/plain', text: 'a\r\nb' };
  await write('fixtures/form.call.json', { path: '/v1/proxy/forms?a=1', settings, form: [...form, text] });
  const url = 'https://api.partner.test/v1/forms?a=1';
  // Parts of one name keep their order; those of several may come in any.
  const [model, one, two] = form;
  await write('fixtures/form.request.json', { method: 'POST', url, headers: {}, form: [text, file, one, two, model] });
  await write('fixtures/form.upstream.json', { status: 200, headers: { 'content-type': 'audio/x' }, base64: 'AAH/' });
  await write('fixtures/form.reply.json', { status: 200, type: 'audio/x', base64: 'AAH/' });
  await write('fixtures/bytes.call.json', { path: '/v1/proxy/bytes', settings, base64: 'gIE=', type: 'image/x' });
  await write('fixtures/bytes.request.json', {
    method: 'POST',
    url: 'https://api.partner.test/v1/bytes',
    headers: { 'content-type': 'image/x' },
    base64: 'gIE=',
  });
  await write('fixtures/bytes.upstream.json', { status: 201, headers: { 'content-type': 'text/csv' }, text: 'a,b' });
  await write('fixtures/bytes.reply.json', { status: 201, type: 'text/csv', text: 'a,b' });
}

/** Copies of a case, each with a change that its recordings do not fit any more; gives what is said about each. */
async function verdictsOn<
  Case extends { readonly of: string; readonly file: string; readonly change: (text: string) => string },
>(cases: readonly Case[]): Promise<readonly (readonly [Case, verdict: string])[]> {
  const fixtures = join(unit, 'fixtures');
  const originals = await readdir(fixtures);
  for (const [index, { of, file, change }] of cases.entries()) {
    for (const original of originals.filter((name) => name.startsWith(`${of}.`))) {
      const text = await readFile(join(fixtures, original), 'utf8');
      const changed = original.endsWith(file) ? change(text) : text;
      assert.equal(changed === text, !original.endsWith(file), `${original} of case ${index}`);
      await writeFile(join(fixtures, original.replace(of, `changed${index}`)), changed);
    }
  }
  for (const original of originals) await rm(join(fixtures, original));
  const { output } = await tested();
  return cases.map((changed, index) => {
    const [, verdict = ''] = output.split(new RegExp(`not ok \\d+ - changed${index}: asks and answers as recorded`));
    return [changed, verdict.split(/^ *(?:not )?ok /m)[0] ?? ''];
  });
}

describe('the provider tester, of forms and bytes', () => {
  beforeEach(writeBytesCases);

  it('passes them', async () => {
    const { passed, output } = await tested();
    assert.ok(passed, output);
    assert.match(output, /# pass 7/);
  });

  const changes: readonly (readonly [of: string, file: string, from: string, to: string])[] = [
    ['form', 'request.json', '"m"', '"n"'],
    ['form', 'request.json', '"value":"1"},{"name":"tag","value":"2"', '"value":"2"},{"name":"tag","value":"1"'],
    ['form', 'request.json', 'a.bin', 'b.bin'],
    ['form', 'request.json', 'x-a', 'x-b'],
    ['form', 'request.json', '/wD+', '/wD/'],
    ['form', 'request.json', 'a\\r\\nb', 'a\\nb'],
    ['form', 'request.json', '[', '[{"name":"x","value":"y"},'],
    ['form', 'reply.json', 'AAH/', 'AAH+'],
    ['form', 'reply.json', 'audio/x', 'audio/y'],
    ['bytes', 'request.json', 'gIE=', 'gII='],
    ['bytes', 'request.json', '"base64":"gIE="', '"form":[{"name":"a","value":"b"}]'],
    ['bytes', 'reply.json', 'a,b', 'a;b'],
  ];
  it('fails on whatever is another, and names the file', async () => {
    const cases = changes.map(([of, file, from, to]) => ({
      of,
      file,
      to,
      change: (text: string) => text.replace(from, to),
    }));
    for (const [{ to, file }, verdict] of await verdictsOn(cases))
      assert.match(verdict, new RegExp(`changed\\d+\\.${file}: the (request|reply) to the \\w+ differs`), to);
  });
});

/** Three calls for one, the last of them to another host of the provider. */
async function writeFlowCase(): Promise<void> {
  await writeFile(
    join(unit, 'index.ts'),
    `import { provider, schema, secret } from 'portcullis/sdk';
     export default provider({
       settings: schema.Object({ apiKey: secret() }),
       base: 'https://api.partner.test/v1',
       auth: { kind: 'bearer', from: 'apiKey' },
       endpoints: {
         chatComplete: { path: '/chat/completions', dialect: 'chat' },
         createBatch: {
           path: '/jobs',
           dialect: 'batches',
           flow: async ({ body }, { send }) => {
             const { json } = await send({ method: 'POST', url: '/jobs', body });
             await send({ method: 'PUT', url: 'https://files.partner.test/' + json.id + '?sign=a', body: 'a\\nb' });
             const started = await send({ method: 'GET', url: '/jobs/' + json.id });
             return { status: 200, json: { id: json.id, object: 'batch', status: started.json.state } };
           },
         },
       },
     });`,
  );
  const headers = { authorization: 'Bearer test-key' };
  const body = { endpoint: '/v1/chat/completions', input_file_id: 'file-1', completion_window: '24h' };
  await write('fixtures/flow.call.json', { path: '/v1/batches', settings: { api_key: 'test-key' }, body });
  await write('fixtures/flow.request.json', [
    { method: 'POST', url: 'https://api.partner.test/v1/jobs', headers, body },
    { method: 'PUT', url: 'https://files.partner.test/job-1?sign=a', headers, text: 'a\nb' },
    { method: 'GET', url: 'https://api.partner.test/v1/jobs/job-1', headers },
  ]);
  await write('fixtures/flow.upstream.json', [
    { status: 200, body: { id: 'job-1' } },
    { status: 204, text: '' },
    { status: 200, body: { state: 'in_progress' } },
  ]);
  await write('fixtures/flow.reply.json', {
    status: 200,
    body: { id: 'job-1', object: 'batch', status: 'in_progress' },
  });
}

describe('the provider tester, of several calls for one', () => {
  beforeEach(writeFlowCase);

  it('passes them in their order', async () => {
    const { passed, output } = await tested();
    assert.ok(passed, output);
    assert.match(output, /# pass 6/);
  });

  type Change = (list: readonly JsonObject[]) => readonly unknown[];
  const at =
    (index: number, fields: JsonObject): Change =>
    (list) =>
      list.with(index, { ...list[index], ...fields });
  const changes: readonly (readonly [change: Change, says: RegExp])[] = [
    [at(0, { url: 'https://api.partner.test/v2/jobs' }), /request 1 of 3 to the provider differs/],
    [at(1, { url: 'https://files.partner.test/job-2?sign=a' }), /request 2 of 3 to the provider differs/],
    [at(1, { url: 'https://files.partner.test/job-1?sign=b' }), /request 2 of 3 to the provider differs/],
    [at(1, { text: 'a b' }), /request 2 of 3 to the provider differs/],
    [at(2, { method: 'POST' }), /request 3 of 3 to the provider differs/],
    [([one, two, three]) => [one, three, two], /request 2 of 3 to the provider differs/],
  ];
  it('fails on whatever is another, and says which call it was', async () => {
    const cases = changes.map(([change, says]) => ({
      of: 'flow',
      file: 'request.json',
      says,
      change: (text: string) => JSON.stringify(change(JSON.parse(text))),
    }));
    for (const [{ says }, verdict] of await verdictsOn(cases)) assert.match(verdict, says);
  });

  it('fails on a call that is not recorded', async () => {
    await changeLists((list) => list.slice(0, 2));
    const { passed, output } = await tested();
    assert.ok(!passed);
    assert.match(
      output,
      /flow\.request\.json: 2 recorded, but one more request came: GET \/jobs\/job-1\. The gateway answered 5/,
    );
  });

  it('fails on a recorded call that does not come', async () => {
    await changeLists((list) => [...list, list[2]]);
    const { passed, output } = await tested();
    assert.ok(!passed);
    assert.match(output, /flow\.request\.json: 4 recorded, but only 3 came\. The gateway answered 200/);
  });

  async function changeLists(change: Change): Promise<void> {
    for (const file of ['fixtures/flow.request.json', 'fixtures/flow.upstream.json'])
      await write(file, change(JSON.parse(await readFile(join(unit, file), 'utf8'))));
  }
});

describe('reading fixtures', () => {
  const fixtures = () => join(unit, 'fixtures');
  it('names the cases', () => assert.deepEqual(caseNames(fixtures()), ['chat', 'stream']));
  it('finds none where there is no folder', () => assert.deepEqual(caseNames(join(unit, 'none')), []));
  it('refuses a file that is no fixture', async () => {
    await write('fixtures/chat.repyl.json', {});
    assert.throws(() => caseNames(fixtures()), /chat\.repyl\.json/);
  });
  it('names the file that is missing', async () => {
    await rm(join(fixtures(), 'chat.reply.json'));
    assert.throws(
      () => readCase(fixtures(), 'chat'),
      /chat\.reply\.json: a case needs either this file or chat\.deltas\.json/,
    );
  });
  it('names the file that is no JSON', async () => {
    await writeFile(join(fixtures(), 'chat.call.json'), '{');
    assert.throws(() => readCase(fixtures(), 'chat'), /chat\.call\.json/);
  });
  it('names the field that is missing', async () => {
    await write('fixtures/chat.request.json', { method: 'POST' });
    assert.throws(() => readCase(fixtures(), 'chat'), /chat\.request\.json: url is missing/);
  });

  const part = { name: 'f', filename: 'f.txt', type: 'text/plain', text: 'f' };
  const malformed: readonly (readonly [what: string, file: string, content: unknown, says: RegExp])[] = [
    ['a field that nobody reads', 'call', { path: '/', bodi: {} }, /chat\.call\.json: there is no field bodi/],
    ['two bodies', 'call', { path: '/', body: {}, form: [part] }, /body and form exclude each other/],
    ['a body that is no object', 'call', { path: '/', body: [] }, /body must be an object/],
    ['bytes without a type', 'call', { path: '/', text: 'a' }, /type \(the content type\) is missing/],
    ['an empty form', 'call', { path: '/', form: [] }, /form must be a list of parts/],
    ['a part without a name', 'call', { path: '/', form: [{ value: 'a' }] }, /form\[0\] must be an object with a name/],
    ['a field without a value', 'call', { path: '/', form: [part, { name: 'a' }] }, /form\[1\]: a field has a value/],
    [
      'a value that is no text',
      'call',
      { path: '/', form: [{ name: 'a', value: 1 }] },
      /form\[0\]: a field has a value/,
    ],
    ['a file without a type', 'call', { path: '/', form: [{ ...part, type: 1 }] }, /form\[0\]: a file has a filename/],
    ['a file twice', 'call', { path: '/', form: [{ ...part, base64: '' }] }, /text and base64 exclude each other/],
    ['what is no base64', 'call', { path: '/', base64: 'a_b!', type: 'a/b' }, /base64 is no base64/],
    ['a URL that is none', 'request', { method: 'GET', url: '/v1/files' }, /url must be the provider's real one/],
    ['an empty list', 'request', [], /the list is empty/],
    [
      'more requests than answers',
      'request',
      [
        { method: 'GET', url: 'https://a.test' },
        { method: 'GET', url: 'https://a.test' },
      ],
      /2 requests, but 1 answers/,
    ],
    ['a request of a list without a URL', 'request', [{ method: 'GET' }], /chat\.request\.json \[0\]: url is missing/],
    ['an answer without a status', 'upstream', [{ text: 'a' }], /chat\.upstream\.json \[0\]: status is missing/],
    [
      'bytes for the client without a type',
      'reply',
      { status: 200, base64: 'AA==' },
      /type \(the content type\) is missing/,
    ],
  ];
  for (const [what, file, content, says] of malformed) {
    it(`refuses ${what}`, async () => {
      await write(`fixtures/chat.${file}.json`, content);
      assert.throws(() => readCase(fixtures(), 'chat'), says);
    });
  }
});
