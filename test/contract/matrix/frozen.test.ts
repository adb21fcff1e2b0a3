import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFramer, parseJson } from 'portcullis/sdk';
import { deepFreeze } from '../../../sdk/testing/deep-freeze.ts';
import { cases, entries, type MatrixCase } from './cases.ts';
import { frozenUnit } from './frozen.ts';
import { askingOf, outboundFor, replay } from './replay.ts';

const units = new Map(entries.map((entry) => [entry, frozenUnit(entry)]));

async function checkCase(recorded: MatrixCase): Promise<void> {
  const unit = units.get(recorded.entry);
  assert.ok(unit !== undefined);
  const built = await outboundFor(askingOf(recorded, unit), deepFreeze);
  const { told } = await replay(built, recorded.fixture.answers);
  const { reply } = recorded.fixture;
  if (reply.kind === 'stream') {
    const framer = createFramer('sse');
    const events = [...framer.push(Buffer.from(told.text)), ...framer.end()].map(({ event, data }) => ({
      ...(event === undefined ? {} : { event }),
      data: parseJson(data) ?? data,
    }));
    assert.deepEqual(events, reply.events);
    return;
  }
  assert.equal(told.status, reply.status);
  if (reply.body.kind === 'json') assert.deepEqual(parseJson(told.text) ?? null, reply.body.json);
}

/** Waiting for a job that is not ready costs no work: the cases of a provider run side by side. */
describe('a unit answers as recorded where nothing it gets can be changed', () => {
  for (const [entry] of units) {
    it(entry.manifest.name, async () => {
      const own = cases.filter((recorded) => recorded.entry === entry);
      const checked = await Promise.allSettled(own.map(checkCase));
      const failed = checked.flatMap((result, index) =>
        result.status === 'fulfilled' ? [] : [`${own[index]?.title}: ${String(result.reason)}`],
      );
      assert.deepEqual(failed, []);
    });
  }
});
