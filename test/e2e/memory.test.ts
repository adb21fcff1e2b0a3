import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { saved, startGateway } from '../support/gateway.ts';
import { type Act, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are still reachable: the heap, and the buffers beside it. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('keeps nothing of 2,000 requests that failed or were given up', async (t) => {
  const peer = await startPeer(t);
  // Each act by the `user` of the request.
  const acts: Readonly<Record<string, Act>> = {
    refused: { status: 500, body: { error: { message: 'no' } } },
    cut: { upTo: 2, ending: 'cut' },
    short: { upTo: 2 },
    left: { upTo: 2, ending: 'stall' },
    unanswered: { before: 'never' },
  };
  peer.always(
    ({ body }) => acts[String(body.user ?? (body.metadata as { user_id?: string } | undefined)?.user_id)] ?? {},
  );
  const gateway = await startGateway(
    t,
    { providers: { same: saved('openai', `${peer.origin}/v1`), other: saved('anthropic', `${peer.origin}/v1`) } },
    { log: silent },
  );
  const padding = 'x'.repeat(20_000);
  const kinds = [...Object.keys(acts), 'malformed', 'unknown'];

  const endings = new Set<string>();
  const ask = async (kind: string, index: number): Promise<void> => {
    const model = kind === 'unknown' ? '@nobody/m' : `@${index % 2 === 0 ? 'same' : 'other'}/m`;
    const body = JSON.stringify({
      model,
      user: kind,
      stream: true,
      messages: [{ role: 'user', content: `${padding}${index}` }],
    });
    const controller = new AbortController();
    const sent = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: kind === 'malformed' ? body.slice(0, -1) : body,
      signal: controller.signal,
    });
    if (kind === 'unanswered') setTimeout(() => controller.abort(), 5);
    try {
      const response = await sent;
      if (kind === 'left') controller.abort();
      const text = await response.text();
      endings.add(`${kind} ${response.status}${text.includes('"error"') ? ' with an error' : ''}`);
    } catch (error) {
      endings.add(`${kind} ${(error as Error).name}`);
    }
  };
  const run = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => ask(kinds[index % kinds.length] ?? '', done + index)));
      peer.requests.length = 0;
    }
  };

  await run(500);
  const before = await heldBytes();
  await run(2000);
  const grown = (await heldBytes()) - before;
  assert.deepEqual([...endings].toSorted(), [
    'cut 200 with an error',
    'left AbortError',
    'malformed 400 with an error',
    'refused 500 with an error',
    'short 200 with an error',
    'unanswered AbortError',
    'unknown 400 with an error',
  ]);
  // The bodies alone were 40 MB.
  assert.ok(grown < 6 * 1024 * 1024, `${Math.round(grown / 1024)} kB more are held`);
  t.diagnostic(`${Math.round(grown / 1024)} kB more are held`);
});
