import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { inEachPlace } from './place.ts';

const compiled = (code: string): JsonObject => ({ id: 'test-words.compiled', parameters: { code } });

/** Holds the looks at code until they are let go. */
function heldLooks(t: TestContext) {
  const looked: string[] = [];
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  let waiting: (() => void) | undefined;
  const global = globalThis as { lookAtCode?: ((code: string) => Promise<void>) | undefined };
  global.lookAtCode = (code) => {
    looked.push(code);
    waiting?.();
    return gate;
  };
  t.after(() => {
    global.lookAtCode = undefined;
  });
  return {
    looked,
    letGo,
    until: async (count: number) => {
      while (looked.length < count)
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
    },
  };
}

inEachPlace('a look at code that takes long', (place) => {
  it('holds no transaction: others read and write meanwhile, and it is made once', async (t) => {
    const { control, workspace, make } = place();
    const { looked, letGo, until } = heldLooks(t);
    // More than the store has connections.
    const saving = Array.from({ length: 12 }, (_, index) => make({ checks: [compiled(`slow ${index}`)] }));
    await until(saving.length);
    const { id } = await make({ name: 'Meanwhile' });
    assert.equal((await control.ok('GET', `/v1/guardrails/${id}`)).name, 'Meanwhile');
    letGo();
    const made = await Promise.all(saving);
    assert.equal(new Set(made.map(({ slug }) => slug)).size, saving.length);
    assert.equal(looked.length, saving.length);
    const { total } = await control.ok('GET', `/v1/guardrails/${made[0]?.id}/versions`);
    assert.equal(total, 1);
    assert.ok((await control.ok('GET', `/v1/guardrails?workspace_id=${workspace}`)).total);
  });

  it('is made again where somebody else has changed the code meanwhile', async (t) => {
    const { control, make } = place();
    const { id } = await make({ checks: [compiled('first')] });
    const path = `/v1/guardrails/${id}`;
    const { looked, letGo, until } = heldLooks(t);
    const switching = control.ok('PUT', path, { body: { actions: { deny: false } } });
    await until(1);
    const changing = control.ok('PUT', path, { body: { checks: [compiled('second')] } });
    await until(2);
    letGo();
    await Promise.all([switching, changing]);
    const { checks, actions } = await control.ok('GET', path);
    assert.deepEqual([checks, (actions as JsonObject).deny], [[compiled('second')], false]);
    assert.deepEqual([...new Set(looked)].toSorted(), ['first', 'second']);
    assert.equal((await control.ok('GET', `${path}/versions`)).total, 3);
  });

  it('refuses as it would at once', async (t) => {
    const { refused, workspace } = place();
    const { letGo, until } = heldLooks(t);
    const body = { name: 'N', actions: {}, workspace_id: workspace, checks: [compiled('broken later')] };
    const refusal = refused('POST', '/v1/guardrails', { body });
    await until(1);
    letGo();
    assert.deepEqual(await refusal, [400, 'checks[0].parameters.code']);
  });
});
