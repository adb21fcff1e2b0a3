import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects } from 'portcullis/sdk';
import { startControl, testKeyMaterial } from '../../../support/control.ts';
import { onEachStore } from '../../../support/stores.ts';
import { inEachPlace, placeOf, plugins } from './place.ts';

const writers = 100;

inEachPlace('a hundred writers', (place) => {
  for (const [what, path, update] of [
    ['prompt', '/v1/prompts', (n: number) => ({ string: `Version ${n}`, patch: true })],
    ['partial', '/v1/prompts/partials', (n: number) => ({ string: `Version ${n}` })],
  ] as const) {
    it(`of one ${what} get consecutive versions, of which one is Published, and none of them fails`, async () => {
      const { control, make, partial } = place();
      const { id } = what === 'prompt' ? await make() : await partial();
      const replies = await Promise.all(
        Array.from({ length: writers }, (_, n) =>
          n % 4 === 3
            ? control.call('PUT', `${path}/${id}/makeDefault`, { body: { version: 1 } })
            : control.call('PUT', `${path}/${id}`, { body: update(n) }),
        ),
      );
      assert.deepEqual(
        replies.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`),
        [],
      );
      const { data, total } = await control.ok('GET', `${path}/${id}/versions?page_size=1000`);
      const versions = asObjects(data);
      const made = (writers * 3) / 4 + 1;
      assert.equal(total, made);
      assert.deepEqual(
        versions.map((item) => item.prompt_version ?? item.version),
        Array.from({ length: made }, (_, index) => made - index),
      );
      // Each writer's text is there once.
      const texts = versions.map((item) => JSON.stringify(item.prompt_template ?? item.string));
      assert.equal(new Set(texts).size, made);
      const published = await Promise.all(
        Array.from({ length: writers }, (_, n) =>
          control.call('PUT', `${path}/${id}/makeDefault`, { body: { version: (n % made) + 1 } }),
        ),
      );
      assert.deepEqual(
        published.filter(({ status }) => status !== 200).map(({ text }) => text),
        [],
      );
      const after = asObjects((await control.ok('GET', `${path}/${id}/versions?page_size=1000`)).data);
      assert.equal(after.filter((item) => (item.status ?? item.prompt_version_status) === 'active').length, 1);
    });
  }
});

onEachStore(
  (_, __, fresh) => {
    describe('two processes on one store', () => {
      it('give out version numbers together', async (t) => {
        const shared = { store: await fresh(), keyMaterial: testKeyMaterial(), plugins };
        const one = await startControl(t, shared);
        const other = await startControl(t, shared);
        const { make } = await placeOf(one);
        const { id } = await make();
        const replies = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            (n % 2 === 0 ? one : other).call('PUT', `/v1/prompts/${id}`, {
              body: { string: `Version ${n}`, patch: true },
            }),
          ),
        );
        assert.deepEqual(
          replies.filter(({ status }) => status !== 200).map(({ text }) => text),
          [],
        );
        const { data } = await other.ok('GET', `/v1/prompts/${id}/versions`);
        assert.deepEqual(
          asObjects(data).map(({ prompt_version }) => prompt_version),
          Array.from({ length: 21 }, (_, index) => 21 - index),
        );
      });
    });
  },
  { file: true, memory: false },
);
