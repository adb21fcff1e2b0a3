import assert from 'node:assert/strict';
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { asObject, asString, parseJson } from 'portcullis/sdk';

const mebibyte = 1_048_576;
const size = 512 * mebibyte;
const inTests = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));

describe('a gateway in a process of its own, with files of 512 MB', { timeout: 120_000 }, () => {
  const children: ChildProcess[] = [];
  let gateway: ChildProcess;
  let url: string;

  async function started(file: string, ...args: readonly string[]): Promise<readonly [ChildProcess, string]> {
    const child = fork(inTests(file), args, { execArgv: [] });
    children.push(child);
    const [said] = await once(child, 'message');
    return [child, String(said)];
  }

  before(async () => {
    const [, upstream] = await started('e2e/uploads-upstream.ts');
    [gateway, url] = await started('e2e/uploads-gateway.ts', upstream);
    // Code and buffers that every request needs are there after the first ones.
    for (const run of [uploaded('untouched'), uploaded('rewritten'), downloaded]) await run(64 * mebibyte);
  });
  after(() => {
    for (const child of children) child.kill();
  });

  const uploaded = (config: string) => async (bytes: number) => {
    const headers = JSON.stringify({ 'x-gw-config': config });
    const to = `${url}/v1/audio/transcriptions`;
    const sender = inTests('core/uploads/sending-process.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [sender, to, String(bytes), headers]);
    const reply = asObject(parseJson(stdout));
    assert.equal(reply?.status, 200, stdout);
    return asString(asObject(parseJson(asString(reply.text) ?? ''))?.text) ?? '';
  };

  const downloaded = async (bytes: number) => {
    const response = await fetch(`${url}/v1/files/${bytes}/content`);
    assert.equal(response.status, 200);
    let came = 0;
    for await (const chunk of response.body ?? []) came += (chunk as Uint8Array).length;
    return `${came} bytes as ${response.headers.get('content-type')}`;
  };

  /** Megabytes of the gateway; the peak is that since it was last forgotten. */
  async function resident(which: 'VmRSS' | 'VmHWM'): Promise<number> {
    const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8');
    return Number(new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  }
  const forgetPeak = () => writeFile(`/proc/${gateway.pid}/clear_refs`, '5');

  const formBytes = size + 135;
  const runs: readonly (readonly [what: string, run: (bytes: number) => Promise<string>, came: RegExp])[] = [
    [
      'passes an upload on',
      uploaded('untouched'),
      new RegExp(`^${formBytes} bytes as multipart/form-data; boundary=b$`),
    ],
    [
      'changes a field of an upload',
      uploaded('rewritten'),
      /^5368\d{5} bytes as multipart\/form-data; boundary=portcullis-/,
    ],
    ['passes a download on', downloaded, new RegExp(`^${size} bytes as application/octet-stream$`)],
  ];
  for (const [what, run, came] of runs) {
    it(`${what} in constant memory`, async (t) => {
      await pause(200);
      const idle = await resident('VmRSS');
      let growth = Number.POSITIVE_INFINITY;
      // On a busy machine the collector may come late once; a body that is held would be there every time.
      for (let tries = 0; tries < 2 && growth >= 60; tries += 1) {
        await pause(200);
        await forgetPeak();
        assert.match(await run(size), came);
        growth = (await resident('VmHWM')) - idle;
        t.diagnostic(`resident memory grew by ${growth.toFixed(1)} MB at most, from ${idle.toFixed(1)} MB`);
      }
      assert.ok(growth < 60, `${growth} MB`);
    });
  }
});
