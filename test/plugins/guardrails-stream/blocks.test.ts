import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Delta, dialects, type JsonObject } from 'portcullis/sdk';
import { partsOf } from '../../../plugins/guardrails/scan/adjoining.ts';
import { without } from '../guardrails/guarded.ts';
import { serving, window } from './serving.ts';
import { citation, end, finish, pass, start, text, textOf, understood, windows, wireOf } from './windows.ts';

const tenWords = 'one two three four five six seven eight nine ten ';
/** An answer of several blocks of text, behind enough words to be sent before they come. */
const blocks = (...texts: readonly string[]): readonly Delta[] => [
  start,
  ...[tenWords, ...texts].flatMap((said, block) => said.split(/(?<= )/).map((piece) => text(piece, 0, block))),
  finish(),
  end,
];
const formats = ['messages', 'responses'] as const;

async function asked(t: TestContext, format: (typeof formats)[number], guard: JsonObject, ...texts: readonly string[]) {
  const { asked: ask } = await serving(t, blocks(...texts), format);
  const { status, text: bytes } = await ask([{ ...window, deny: true, ...guard }]);
  return { status, said: status === 200 ? textOf(understood(bytes, dialects[format])) : '' };
}

for (const format of formats)
  describe(`blocks of text of a stream of ${format} that follow each other`, () => {
    it('are looked at without a break too before any of what stands across them goes out', async (t) => {
      const { status, said } = await asked(t, format, { 'pii.detect': {} }, `${tenWords}ann@exam`, 'ple.com and so on');
      assert.equal(status, 200);
      assert.match(said, /^one two/);
      assert.doesNotMatch(said, /ann|ple/);
    });

    it('lose what is redacted, each its share', async (t) => {
      const { said } = await asked(t, format, { 'pii.redact': {} }, 'to ann@exam', 'ple.com and so on');
      assert.equal(said, `${tenWords}to [EMAIL_ADDRESS][EMAIL_ADDRESS] and so on`);
    });

    it('are looked at one by one too', async (t) => {
      const { status, said } = await asked(t, format, without('bad'), `${tenWords}this is`, 'bad', 'word');
      assert.equal(status, 200);
      assert.match(said, /^one two/);
      assert.doesNotMatch(said, /bad/);
    });

    it('keep what each of them says', async (t) => {
      const texts = [`${tenWords}this is`, 'good.', '', 'Really', `${tenWords}good`];
      const { said } = await asked(t, format, without('bad'), ...texts);
      assert.equal(said, tenWords + texts.join(''));
    });

    it('are told as across once the stream is over', async (t) => {
      const { asked: ask } = await serving(t, blocks('mail to ann@exam', 'ple.com and so on'), format);
      const { text: bytes } = await ask([{ 'pii.detect': {} }]);
      assert.match(bytes, /"counts":\{"EMAIL_ADDRESS":1\}/);
    });
  });

describe('a block of text', () => {
  it('that has gone out whole is still looked at with the one behind it, and where the two meet is known', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const looked: (readonly string[])[] = [];
    const dialect = dialects.messages;
    const { source, client, window } = windows(
      ({ fragments }) => {
        looked.push(fragments.flatMap(partsOf));
        return pass();
      },
      { tokens: 64, ms: 100, overlap: 8 },
      { dialect },
    );
    const [opening = '', ...rest] = wireOf([start, text('mail to ann@exam'), text('ple.com', 0, 1)], dialect).split(
      /(?<=\n\n)(?=event: content_block_stop)/,
    );
    source.push(opening);
    for (let count = 0; count < 2; count += 1) t.mock.timers.tick(100);
    assert.equal(textOf(understood(client.bytes, dialect)), 'mail to ann@exam');
    source.push(rest.join(''));
    t.mock.timers.tick(100);
    assert.deepEqual(looked.at(-1), ['mail to ann@exam', 'ple.com']);
    window.abort();
  });

  it('keeps its own sources, also where the next one goes out in part', () => {
    for (const dialect of [dialects.messages, dialects.responses]) {
      const { source, client } = windows(pass, {}, { dialect });
      const cited = [0, 1, 2].flatMap((block) => [
        ...[`According to the source number ${block} `, 'it is so and so. '].map((said) => text(said, 0, block)),
        { ...citation(`source ${block}`), block } as Delta,
      ]);
      source.push(wireOf([start, ...cited, finish(), end], dialect));
      source.end();
      const placed = understood(client.bytes, dialect).flatMap((step) =>
        step.type === 'citation' ? [[step.block, step.citation.title]] : [],
      );
      assert.deepEqual(
        placed,
        [0, 1, 2].map((block) => [block, `source ${block}`]),
        dialect.name,
      );
    }
  });
});
