import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { GuardrailEntry, JsonObject, OrganisationEntry } from 'portcullis/sdk';
import { errorOf, guarded, resultsOf, says } from '../plugins/guardrails/guarded.ts';
import { fakeDirectory, organisationOf, recordsOf, workspaceOf } from '../support/directory.ts';
import type { ConfigFragment } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const path = '/v1/chat/completions';
const words = (word: string, actions: JsonObject = { deny: true }) => ({
  checks: [{ id: 'default.contains', parameters: { operator: 'none', words: [word] } }],
  actions,
});
const idsOf = (reply: { readonly json: JsonObject }, phase: 'before' | 'after' = 'before') =>
  resultsOf(reply, phase).map(({ id }) => id);

describe('the guardrails of the file', () => {
  const guardrails = { one: words('one'), two: words('two', {}), three: words('three', {}) };
  const keys = [
    {
      name: 'web',
      sha256: createHash('sha256').update('pk-web').digest('hex'),
      guardrails: { input: ['two'], output: ['three', 'one'] },
    },
  ];

  it('run by their names, with what they say about failing', async (t) => {
    const { ask } = await guarded(t, { guardrails });
    const reply = await ask({ input_guardrails: ['one', 'two'] }, says('one'));
    assert.deepEqual([reply.status, idsOf(reply)], [446, ['one', 'two']]);
  });

  it('run on every request as defaults, after those of the config, and then those of the key', async (t) => {
    const { ask } = await guarded(t, { guardrails, keys, defaultGuardrails: { input: ['one'], output: ['one'] } });
    const own = { input_guardrails: [{ id: 'own', 'test-probe.later': {} }] };
    const reply = await ask(own, says('x'), { headers: { 'x-gw-api-key': 'pk-web' } });
    assert.deepEqual(
      [reply.status, idsOf(reply), idsOf(reply, 'after')],
      [200, ['own', 'one', 'two'], ['one', 'three']],
    );
  });

  it('run once when they are named twice', async (t) => {
    const { ask } = await guarded(t, { guardrails, keys, defaultGuardrails: { input: ['two', 'one'] } });
    const reply = await ask({ input_guardrails: ['two', 'two'] }, says('x'), { headers: { 'x-gw-api-key': 'pk-web' } });
    assert.deepEqual(idsOf(reply), ['two', 'one']);
  });

  it('run on requests that reach the provider without any config of their own', async (t) => {
    const gateway = await guarded(t, { guardrails, defaultGuardrails: { input: ['one'] } });
    const reply = await gateway.post(path, says('one'), { 'x-gw-provider': 'echo' });
    assert.equal(reply.status, 446);
  });

  const onRequests = { checks: [{ id: 'default.addPrefix', parameters: { prefix: 'p' } }], actions: {} };
  const unusable: readonly [string, ConfigFragment, RegExp][] = [
    ['is not there', { defaultGuardrails: { output: ['gone'] } }, /default_guardrails\.output\[0\].*"gone"/],
    [
      'cannot run on replies',
      { defaultGuardrails: { output: ['one', 'prefix'] } },
      /default_guardrails\.output\[1\].*default\.addPrefix.*does not run on replies/,
    ],
    [
      'cannot run for a key',
      { keys: keys.map((key) => ({ ...key, guardrails: { output: ['prefix'] } })) },
      /keys\[0\]\.guardrails\.output\[0\]/,
    ],
  ];
  for (const [what, fragment, message] of unusable) {
    it(`keep the gateway from starting where a default ${what}`, async (t) => {
      const started = guarded(t, { guardrails: { ...guardrails, prefix: onRequests }, ...fragment });
      await assert.rejects(started, { message });
    });
  }
});

const organisationId = 'org-1';

function saved(
  workspaceId: string,
  slug: string,
  fields: Partial<GuardrailEntry> = {},
): readonly [string, GuardrailEntry][] {
  const entry: GuardrailEntry = {
    organisationId,
    id: `id-${slug}`,
    slug,
    name: slug,
    workspaceId: workspaceId === '' ? undefined : workspaceId,
    versionId: `version-of-${slug}`,
    ...words(slug),
    ...fields,
  } as GuardrailEntry;
  return [slug, entry.id].map((name) => [`${organisationId}/${workspaceId}/${name}`, entry]);
}

/** Workspaces a and b, a caller in each, and the guardrails that each finds. */
async function inWorkspaces(
  t: Parameters<typeof guarded>[0],
  more: {
    readonly organisation?: Partial<OrganisationEntry>;
    readonly workspace?: JsonObject;
    readonly guardrails?: readonly (readonly [string, GuardrailEntry])[];
    readonly key?: JsonObject;
    readonly cold?: boolean;
  } = {},
) {
  const workspaces = [workspaceOf('a', more.workspace ?? {}), workspaceOf('b')];
  const records = recordsOf({ workspaces });
  const guardrail = Object.fromEntries(
    more.guardrails ?? [...saved('a', 'one'), ...saved('a', 'two'), ...saved('b', 'foreign')],
  );
  const directory = fakeDirectory(
    { ...records, organisation: { [organisationId]: organisationOf(more.organisation) }, guardrail },
    { cold: more.cold === true },
  );
  const gateway = await workspaceGateway(t, {
    workspaces,
    callers: { alice: { workspace: 'a', ...more.key }, bob: { workspace: 'b' } },
    fragment: { guardrails: { 'of-the-file': words('file') } },
    overrides: { directory },
  });
  const ask = (config: JsonObject, content = 'x', caller = 'alice') =>
    gateway.post(path, says(content), {
      'x-gw-api-key': caller,
      'x-gw-config': JSON.stringify({ provider: 'echo', ...config }),
    });
  return { gateway, directory, ask, guardrail };
}

describe('the saved guardrails of a workspace', () => {
  for (const cold of [false, true]) {
    it(`run by slug and by id, the records ${cold ? 'not yet ' : ''}loaded`, async (t) => {
      const { ask } = await inWorkspaces(t, { cold });
      for (const name of ['one', 'id-one']) {
        const reply = await ask({ input_guardrails: [name] }, 'one');
        assert.deepEqual([reply.status, idsOf(reply)], [446, ['one']]);
      }
    });
  }

  it('run once when id and slug name the same one', async (t) => {
    const { ask } = await inWorkspaces(t);
    assert.deepEqual(idsOf(await ask({ input_guardrails: ['one', 'id-one'] })), ['one']);
  });

  const absent = [
    ['one of another workspace', 'foreign'],
    ['one of another workspace by id', 'id-foreign'],
    ["one of the operator's file", 'of-the-file'],
    ['one that is nowhere', 'nowhere'],
  ] as const;
  for (const [what, name] of absent) {
    it(`do not include ${what}: the request is refused`, async (t) => {
      const { ask } = await inWorkspaces(t);
      for (const list of ['input_guardrails', 'output_guardrails']) {
        const reply = await ask({ [list]: [name] }, 'x');
        assert.deepEqual([reply.status, errorOf(reply).param], [400, `${list}[0]`], reply.text);
      }
    });
  }

  it('are refused, and not skipped, once they have been deleted', async (t) => {
    const { ask, guardrail } = await inWorkspaces(t, { workspace: { guardrails: { input: ['two'] } } });
    assert.equal((await ask({ input_guardrails: ['one'] })).status, 200);
    for (const name of ['one', 'two']) delete guardrail[`${organisationId}/a/${name}`];
    assert.match(String(errorOf(await ask({ input_guardrails: ['one'] })).message), /"one".*not there/);
    assert.match(String(errorOf(await ask({})).message), /default input guardrails.*"two"/);
  });

  it('are read again when they have changed', async (t) => {
    const { ask, guardrail } = await inWorkspaces(t);
    const name = `${organisationId}/a/one`;
    assert.equal((await ask({ input_guardrails: ['one'] }, 'new')).status, 200);
    guardrail[name] = { ...guardrail[name], ...words('new') } as GuardrailEntry;
    assert.equal((await ask({ input_guardrails: ['one'] }, 'new')).status, 446);
  });

  it('that fit no more are refused', async (t) => {
    const checks = [{ id: 'retired.check', parameters: {} }];
    const { ask } = await inWorkspaces(t, { guardrails: saved('a', 'old', { checks }) });
    const reply = await ask({ input_guardrails: ['old'] });
    assert.deepEqual([reply.status, errorOf(reply).code], [400, 'invalid_config']);
    assert.match(String(errorOf(reply).message), /retired\.check/);
  });

  it('that judge are refused in the place of a mutator', async (t) => {
    const { ask } = await inWorkspaces(t);
    const reply = await ask({ input_mutators: ['one'] });
    assert.deepEqual([reply.status, errorOf(reply).code], [400, 'invalid_config']);
  });

  it('run as defaults of organisation, workspace and key, in that order, each once', async (t) => {
    const { ask } = await inWorkspaces(t, {
      guardrails: ['one', 'two', 'three', 'four'].flatMap((slug) => saved('a', slug)),
      organisation: { guardrails: { input: ['one'], output: ['four'] } },
      workspace: { guardrails: { input: ['two', 'one'] } },
      key: { guardrails: { input: ['three', 'id-two', 'four'] } },
    });
    const reply = await ask({ input_guardrails: ['three'] });
    assert.deepEqual([idsOf(reply), idsOf(reply, 'after')], [['three', 'one', 'two', 'four'], ['four']]);
  });
});
