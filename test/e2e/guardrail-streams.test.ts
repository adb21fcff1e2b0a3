import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { type ClientName, hooksOf, readers, resultsIn, words } from '../plugins/guardrails-stream/readers.ts';
import type { TestGateway } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { openStreams, providers } from './sdk-streams.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const said = 'Good day to you, this is a friendly answer. The key to it is swordfish, and that is all that there is.';

const verdicts: Readonly<Record<string, JsonObject>> = {
  pass: { 'default.contains': { operator: 'none', words: ['halibut'] }, deny: true },
  mask: { 'default.regexReplace': { rule: 'sw[a-z]+sh', redactText: '*****' } },
  deny: { 'default.contains': { operator: 'none', words: ['swordfish'] }, deny: true },
  'soft deny': {
    'default.contains': { operator: 'none', words: ['swordfish'], soft_deny_200: true },
    deny: true,
    message: 'No more of that.',
  },
};

const modes: Readonly<Record<string, JsonObject>> = {
  after: { stream_mode: 'after' },
  window: { stream_mode: 'window', stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 3 } },
};

describe('a guarded stream, read by the official SDKs', () => {
  const scope = suiteScope();
  let gateway: TestGateway;

  before(async () => {
    ({ gateway } = await openStreams(scope, said));
  });

  for (const client of Object.keys(readers) as ClientName[]) {
    for (const kind of ['same', 'translated'] as const) {
      for (const strict of [true, false]) {
        for (const mode of Object.keys(modes)) {
          for (const verdict of Object.keys(verdicts)) {
            const title = `${client} client, ${kind} format, ${strict ? 'strict' : 'lenient'}, ${mode}, ${verdict}`;
            it(title, async () => {
              for (const read of Object.values(readers[client])) {
                const provider = providers[client][kind];
                const config = {
                  virtual_key: provider,
                  output_guardrails: [{ id: 'guard', ...verdicts[verdict], ...modes[mode] }],
                };
                const headers = {
                  'x-gw-config': JSON.stringify(config),
                  'x-gw-strict-compliance': String(strict),
                };
                const { status, text, finish, raw } = await read({ gateway, headers });
                assert.equal(status, 200, raw);
                const { stop, denied, last } = words[client];
                const acts = mode === 'window';
                assert.equal(raw.match(last)?.length, 1, raw);
                if (!acts || verdict === 'pass') assert.equal(text, said);
                else if (verdict === 'mask') assert.equal(text, said.replace('swordfish', '*****'));
                else {
                  assert.ok(said.startsWith(text.replace('No more of that.', '')), text);
                  assert.match(text, /^Good day/);
                  assert.equal(text.endsWith('No more of that.'), verdict === 'soft deny');
                }
                if (acts && verdict !== 'pass')
                  assert.doesNotMatch(raw.replaceAll(/^data: .*hook_results.*$/gm, ''), /swor|rdfi|ish,/);
                assert.equal(finish, acts && verdict === 'deny' ? denied : stop);
                assert.equal(client === 'chat' || client === 'completions', raw.trimEnd().endsWith('[DONE]'));

                const results = resultsIn(raw);
                if (strict) {
                  assert.deepEqual(results, []);
                  assert.doesNotMatch(raw, /hook_results/);
                  continue;
                }
                assert.deepEqual(
                  results.map(({ fromEnd }) => fromEnd),
                  [1],
                );
                const [hook] = hooksOf(results[0]?.results);
                assert.equal(hook?.id, 'guard');
                assert.equal(hook?.verdict, verdict === 'pass' || verdict === 'mask');
                assert.equal(hook?.transformed, verdict === 'mask');
                assert.equal(hook?.stream !== undefined, mode === 'window');
              }
            });
          }
        }
      }
    }
  }
});
