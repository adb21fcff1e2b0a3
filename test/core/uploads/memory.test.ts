import assert from 'node:assert/strict';
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { asNumber, asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';

const mebibyte = 1_048_576;
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

async function sent(url: string, bytes: number): Promise<JsonObject> {
  const { stdout } = await promisify(execFile)(process.execPath, [here('sending-process.ts'), url, String(bytes)]);
  return asObject(parseJson(asString(asObject(parseJson(stdout))?.text) ?? '')) ?? {};
}

it('takes 512 MB, reads them as a form and encodes them anew in constant memory', { timeout: 120_000 }, async (t) => {
  const child = fork(here('spool-process.ts'), { execArgv: [] });
  t.after(() => child.kill());
  const [port] = await once(child, 'message');
  const url = `http://127.0.0.1:${port}`;
  // Code and buffers that every request needs are there after the first.
  await sent(url, 64 * mebibyte);
  const idle = asObject(parseJson(await (await fetch(url)).text()));
  let growth = Number.POSITIVE_INFINITY;
  // On a busy machine the collector may come late once; a body that is held would be there every time.
  for (let tries = 0; tries < 2 && growth >= 60; tries += 1) {
    await fetch(url);
    const { rss, file, bytes, encoded } = await sent(url, 512 * mebibyte);
    assert.equal(file, 512 * mebibyte);
    assert.equal(bytes, encoded);
    growth = ((asNumber(rss) ?? Number.NaN) - (asNumber(idle?.rss) ?? Number.NaN)) / mebibyte;
    t.diagnostic(`resident memory grew by ${growth.toFixed(1)} MB at most`);
  }
  assert.ok(growth < 60, `${growth} MB`);
});
