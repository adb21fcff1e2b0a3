import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asArray, asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { startControl, type TestControl, testKeyMaterial } from '../../support/control.ts';
import type { Reply } from '../../support/gateway.ts';
import { onEachStore } from '../../support/stores.ts';
import { check, template, vault } from './one-of-each.ts';

const plugins = [
  'audit-log',
  'tenancy',
  'integrations',
  'configs',
  'secret-references',
  'deployments',
  'guardrails',
  'prompts',
];
const at = { workspace_id: 'ws-a', name: 'One' };
const retry = (attempts: number): JsonObject => ({ retry: { attempts } });
const words = (word: string) => [{ ...check, parameters: { words: [word] } }];

/** A kind of record, and updates of it that have nothing to do with each other. */
interface Kind {
  readonly path: string;
  readonly body: JsonObject;
  readonly updates: readonly JsonObject[];
  /** Whether what `GET` shows of the record is what the update says. Default: the same members. */
  readonly shows?: (shown: JsonObject, update: JsonObject) => boolean;
}

const kinds: Readonly<Record<string, Kind>> = {
  configs: {
    path: 'configs',
    body: { ...at, config: retry(1) },
    updates: [{ name: 'Two' }, { config: JSON.stringify(retry(2)) }, { is_default: 1 }],
  },
  guardrails: {
    path: 'guardrails',
    body: { name: 'One', checks: words('one'), actions: {} },
    updates: [{ name: 'Two' }, { checks: words('two') }, { actions: { deny: true } }],
    shows: (shown, update) => JSON.stringify(shown).includes(JSON.stringify(Object.values(update)[0]).slice(1, -1)),
  },
  integrations: {
    path: 'integrations',
    body: { name: 'One', ai_provider_id: 'openai', key: 'sk-one-0001' },
    updates: [
      { name: 'Two' },
      { description: 'two' },
      { tags: { a: 'b' } },
      { configurations: { openai_project: 'p' } },
      { configurations: { openai_organization: 'o' } },
    ],
    shows: (shown, update) => holds(shown, update),
  },
  providers: {
    path: 'virtual-keys',
    body: { ...at, provider: 'openai', key: 'sk-one-0001' },
    updates: [{ name: 'Two' }, { note: 'two' }, { model_config: { openai_project: 'p' } }, { tags: { a: 'b' } }],
    shows: (shown, update) => holds(shown, update),
  },
  deployments: {
    path: 'deployments',
    body: { name: 'One', type: 'production' },
    updates: [
      { name: 'Two' },
      { tags: { a: 'b' } },
      { auth_settings: { gateway_base_url: 'https://a.example.com' } },
      { auth_settings: { mcp_gateway_base_url: 'https://b.example.com' } },
    ],
    shows: (shown, update) => holds(shown, update),
  },
  'secret references': {
    path: 'secret-references',
    body: vault,
    updates: [
      { name: 'Two' },
      { description: 'two' },
      { secret_path: 'kv/data/two' },
      { auth_config: { vault_namespace: 'two' } },
      { allowed_workspaces: ['ws-a'] },
    ],
    shows: (shown, update) =>
      update.allowed_workspaces === undefined ? holds(shown, update) : shown.allow_all_workspaces === false,
  },
  prompts: {
    path: 'prompts',
    body: { ...at, ...template },
    updates: [{ name: 'Two' }, { patch: true, string: 'Two' }],
  },
  partials: { path: 'prompts/partials', body: { ...at, string: 'One' }, updates: [{ name: 'Two' }, { string: 'Two' }] },
};

onEachStore(
  (name, _, fresh) => {
    /** Several on one server: what each process has in memory keeps nothing apart. */
    let planes: readonly TestControl[] = [];
    const closing: (() => unknown)[] = [];
    before(async () => {
      const t = { after: (close: unknown) => void closing.push(close as () => unknown) };
      const store = await fresh();
      const keyMaterial = testKeyMaterial();
      const start = () => startControl(t, { store, plugins, keyMaterial });
      planes = name === 'MariaDB' ? [await start(), await start()] : [await start()];
      await planes[0]?.ok('POST', '/v1/workspaces', { body: { name: 'A', slug: 'ws-a' } });
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    const plane = (index: number): TestControl => planes[index % planes.length] ?? assert.fail('there is a plane');
    const make = async ({ path, body }: Kind): Promise<string> =>
      `/v1/${path}/${(await plane(0).ok('POST', `/v1/${path}`, { body })).id}`;
    const put = (path: string, bodies: readonly JsonObject[]): Promise<readonly Reply[]> =>
      Promise.all(bodies.map((body, index) => plane(index).call('PUT', path, { body })));
    /** Whoever was not heard was told to try again. */
    const settled = ({ status, text }: Reply): boolean => {
      assert.ok(status === 200 || status === 503, `${status} ${text}`);
      return status === 200;
    };

    describe('writers of one record at once', () => {
      for (const [kind, of] of Object.entries(kinds))
        it(`lose no update of ${kind}`, async () => {
          const path = await make(of);
          const replies = await put(path, of.updates);
          const version = kind === 'prompts' || kind === 'partials' ? '?version=latest' : '';
          const shown = await plane(1).ok('GET', `${path}${version}`);
          let heard = 0;
          for (const [index, update] of of.updates.entries()) {
            if (!settled(replies[index] ?? assert.fail('a reply'))) continue;
            heard += 1;
            const { patch: _, ...said } = update;
            const shows = of.shows ?? holds;
            assert.ok(shows(shown, said), `${JSON.stringify(said)} is in ${JSON.stringify(shown)}`);
          }
          assert.ok(heard > 0);
        });

      for (const kind of ['configs', 'guardrails', 'prompts', 'partials'] as const)
        it(`number the versions of ${kind} without gaps`, async () => {
          const path = await make(kinds[kind] ?? assert.fail(kind));
          const bodies = Array.from({ length: 8 }, (_, index) => versionBody(kind, index));
          const heard = (await put(path, bodies)).filter(settled).length;
          assert.ok(heard > 0);
          const { data } = await plane(0).ok('GET', `${path}/versions`);
          const numbers = asObjects(data).map(({ version, prompt_version }) => Number(version ?? prompt_version));
          assert.deepEqual(
            numbers,
            Array.from({ length: heard + 1 }, (_, index) => heard + 1 - index),
          );
        });

      for (const kind of ['configs', 'guardrails'] as const)
        it(`leave the newest version of ${kind} serving`, async () => {
          const path = await make(kinds[kind] ?? assert.fail(kind));
          await put(
            path,
            Array.from({ length: 6 }, (_, index) => versionBody(kind, index)),
          );
          const shown = await plane(0).ok('GET', path);
          const [newest] = asObjects((await plane(0).ok('GET', `${path}/versions`)).data);
          assert.equal(newest?.version_id ?? newest?.id, shown.version_id);
          assert.deepEqual([newest?.config, newest?.checks], [shown.config, shown.checks]);
        });

      for (const [kind, of] of Object.entries(kinds))
        it(`leave nothing of ${kind} behind that are removed meanwhile`, async () => {
          const path = await make(of);
          const [removed, ...updated] = await Promise.all([
            plane(0).call('DELETE', path),
            ...of.updates.map((body, index) => plane(index + 1).call('PUT', path, { body })),
          ]);
          for (const { status, text } of updated) assert.ok([200, 404, 503].includes(status), `${status} ${text}`);
          if (removed?.status === 503) return;
          assert.equal(removed?.status, 200, removed?.text);
          assert.equal((await plane(1).call('GET', path)).status, 404);
        });

      it('make one default of the configs of a workspace, and one of the deployments', async () => {
        for (const kind of ['configs', 'deployments'] as const) {
          const of = kinds[kind] ?? assert.fail(kind);
          const paths = [await make(of), await make(of), await make(of)];
          const replies = await Promise.all(
            paths.map((path, index) => plane(index).call('PUT', path, { body: { is_default: 1 } })),
          );
          assert.ok(replies.filter(settled).length > 0);
          const { data } = await plane(0).ok('GET', `/v1/${of.path}?is_default=1&workspace_id=ws-a`);
          assert.equal(asArray(data).length, 1);
        }
      });
    });
  },
  { file: true },
);

function versionBody(kind: 'configs' | 'guardrails' | 'prompts' | 'partials', index: number): JsonObject {
  switch (kind) {
    case 'configs':
      return { config: { request_timeout: 1000 + index } };
    case 'guardrails':
      return { checks: words(`word-${index}`) };
    case 'prompts':
      return { patch: true, string: `Text ${index}` };
    case 'partials':
      return { string: `Text ${index}` };
  }
}

/** Whether all that the update says stands in what is shown; what is shown may say more. */
function holds(shown: JsonObject, update: JsonObject): boolean {
  return Object.entries(update).every(([name, value]) => {
    const inner = asObject(value);
    return inner === undefined ? shown[name] === value : holds(asObject(shown[name]) ?? {}, inner);
  });
}
