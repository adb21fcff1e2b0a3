import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { guarded, without } from '../plugins/guardrails/guarded.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { line, says } from './batches-world.ts';

noUnhandledRejections();

const lines = 10_000;
const padding = 'x'.repeat(12_000);
/** Above what there was before; the file is far longer. */
const mostBytes = 96 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are still reachable, looked at again and again. */
function watchMemory() {
  const held = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, held());
  }, 500);
  return () => {
    clearInterval(timer);
    return Math.max(peak, held()) - before;
  };
}

async function fileOnDisk(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-lines-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = createWriteStream(join(folder, 'lines.jsonl'));
  for (let index = 0; index < lines; index += 1) {
    const text = JSON.stringify(line(`${index}`, says(`the old one ${padding}`)));
    if (!file.write(`${text}\n`)) await once(file, 'drain');
  }
  await new Promise((resolve) => file.end(resolve));
  return join(folder, 'lines.jsonl');
}

function timesIn(bytes: Buffer, word: string): number {
  let times = 0;
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + 1)) times += 1;
  return times;
}

/** Sends the form as it is read: clients of other kinds hold files in memory. */
async function upload(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const type = 'multipart/form-data; boundary=b';
  const sent = httpRequest(`${url}/v1/files`, { method: 'POST', headers: { ...headers, 'content-type': type } });
  const answered = once(sent, 'response');
  const part = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"`;
  sent.write(`${part('purpose')}\r\n\r\nbatch\r\n${part('file')}; filename="x.jsonl"\r\n\r\n`);
  for await (const piece of createReadStream(path)) if (!sent.write(piece)) await once(sent, 'drain');
  sent.end('\r\n--b--\r\n');
  const [reply] = (await answered) as [IncomingMessage];
  reply.resume();
  return reply.statusCode;
}

it('judges a file of 10,000 lines without holding it', { timeout: 120_000 }, async (t) => {
  const got = { bytes: 0, changed: 0 };
  const server = createServer(async (request, response) => {
    for await (const piece of request as AsyncIterable<Buffer>) {
      got.bytes += piece.length;
      got.changed += timesIn(piece, 'the new one');
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"file-1","object":"file"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const path = await fileOnDisk(t);
  const { size } = statSync(path);
  const { url } = await guarded(t);
  const config = {
    provider: 'openai',
    api_key: 'k',
    custom_host: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    input_guardrails: [{ ...without('bad'), deny: true }],
    input_mutators: [{ 'test-probe.swaps': { from: 'old', to: 'new' } }],
  };
  const headers = { 'x-gw-config': JSON.stringify(config) };
  const grown = watchMemory();
  const since = performance.now();
  const reply = await upload(url, path, headers);
  const seconds = (performance.now() - since) / 1000;
  const bytes = grown();
  assert.equal(reply, 200);
  assert.ok(got.bytes > size * 0.99, `${got.bytes} of ${size} bytes have come`);
  // Words that are cut by the end of a piece are few.
  assert.ok(got.changed > lines * 0.99, `${got.changed} lines were changed`);
  t.diagnostic(
    `${lines} lines, ${Math.round(size / 1e6)} MB: ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB more at most`,
  );
  assert.ok(bytes < mostBytes, `${bytes} bytes`);
});
