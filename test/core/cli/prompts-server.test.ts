import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { promptFolder, prompts } from './prompts-folder.ts';

const key = 'the-key-of-the-test';

/** Something that answers where a gateway is expected. */
async function server(t: TestContext, listener: RequestListener): Promise<string> {
  const listening = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    listening.closeAllConnections();
    listening.close();
  });
  await once(listening, 'listening');
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

/** A gateway with prompts alone, shown as they are given. */
function showing(items: readonly JsonObject[]): RequestListener {
  return (request, response) => {
    const path = new URL(request.url ?? '', 'http://h').pathname;
    const found = items.find(({ slug }) => path === `/v1/prompts/${encodeURIComponent(String(slug))}`);
    const list = path === '/v1/prompts' ? items : [];
    response.end(JSON.stringify(found ?? { object: 'list', total: list.length, data: list }));
  };
}

const prompt = { id: '1', slug: 'pp-a', name: 'A', string: 'x', virtual_key: 'p', prompt_version: 1 };

describe('a server that is no good gateway', () => {
  const slugs = ['../../evil', 'a/b', '.hidden', 'CON', 'a\u0000', 'a'.repeat(101), 'pp-\u001b[2J'];
  for (const slug of slugs) {
    it(`cannot have ${JSON.stringify(slug.slice(0, 12))} as a file's name, nor anything written beside it`, async (t) => {
      const folder = await promptFolder(t);
      const url = await server(t, showing([prompt, { ...prompt, id: '2', slug }]));
      const { code, complained } = await prompts(key, 'export', folder.path, '--url', url);
      assert.equal(code, 2);
      assert.match(complained, /^The gateway names .* as a slug, which can be no file's name\.$/);
      assert.deepEqual(await folder.all(), {});
    });
  }

  it('cannot steer the terminal', async (t) => {
    const folder = await promptFolder(t);
    const url = await server(t, (_, response) => {
      response.statusCode = 403;
      response.end(JSON.stringify({ message: 'No\u001b[2J\u202e' }));
    });
    const { complained } = await prompts(key, 'export', folder.path, '--url', url);
    assert.equal(complained, 'The gateway refuses GET /collections (403): No\ufffd[2J\ufffd');
  });

  const answers: readonly [string, RequestListener, RegExp][] = [
    [
      'no JSON',
      (_, response) => void response.end('<html>'),
      /answers GET \/v1\/collections with 200 and no JSON object\. Is it a gateway\?$/,
    ],
    [
      'a redirect',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      /with 302 and no JSON object/,
    ],
    ['an end', (request) => void request.socket.destroy(), /cannot be reached \(UND_ERR_SOCKET\)\.$/],
    ['nothing', () => {}, /has not answered within 50 ms\.$/],
    [
      'an item without a name',
      showing([{ id: '1', slug: 'pp-a' }]),
      /lists something without slug or name among the prompts\.$/,
    ],
    [
      'no version',
      showing([{ ...prompt, prompt_version: 'x' }]),
      /does not tell the version's number of prompts\/pp-a\.$/,
    ],
  ];
  for (const [what, listener, expected] of answers) {
    it(`is told of for ${what}, without the key`, async (t) => {
      const folder = await promptFolder(t);
      const url = await server(t, listener);
      const patience = what === 'nothing' ? ['--timeout', '50'] : [];
      const { code, complained } = await prompts(key, 'export', folder.path, '--url', url, ...patience);
      assert.equal(code, 2);
      assert.match(complained, expected);
      assert.ok(!complained.includes(key));
    });
  }
});

describe('the requests of the command', () => {
  it('bring the key in a header that every gateway reads, below the path of the address', async (t) => {
    const asked: string[] = [];
    const folder = await promptFolder(t);
    const url = await server(t, (request, response) => {
      asked.push(`${request.headers.authorization} ${request.url}`);
      response.end('{"data":[],"total":0}');
    });
    const { code } = await prompts(key, 'export', folder.path, '--url', `${url}/base/`, '--workspace', 'ws-a&b');
    assert.equal(code, 0);
    assert.equal(asked[0], `Bearer ${key} /base/v1/collections?current_page=0&page_size=100&workspace_id=ws-a%26b`);
  });

  it('read all pages', async (t) => {
    const all = Array.from({ length: 250 }, (_, index) => ({
      ...prompt,
      id: `${index}`,
      slug: `pp-${index}`,
      name: `P ${index}`,
    }));
    const folder = await promptFolder(t);
    const url = await server(t, (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://h');
      const page = Number(searchParams.get('current_page'));
      const data = pathname === '/v1/prompts' ? all.slice(page * 100, page * 100 + 100) : [];
      const found = all.find(({ slug }) => pathname === `/v1/prompts/${slug}`);
      response.end(JSON.stringify(found ?? { data, total: data.length === 0 ? 0 : all.length }));
    });
    const { printed } = await prompts(key, 'export', folder.path, '--url', url);
    assert.match(printed, /250 written, 0 as they were\.$/);
  });
});
