import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { everyLogStore } from '../logs/every-store.ts';
import { hour, type LogWorld, logWorld, minute, noon, refused, stretch } from '../logs/world.ts';

const cent = 10_000_000;
const at = noon - hour;

everyLogStore((open) => {
  describe('the groups', () => {
    const closing: (() => unknown)[] = [];
    let world: LogWorld;
    let other: { readonly id: string; readonly slug: string };
    const get = async (path: string, query = '', as = world.key) =>
      (await world.control.ok('GET', `/v1/analytics/groups/${path}?${stretch}${query}`, { as })) as {
        readonly total?: number;
        readonly data: readonly JsonObject[];
      };

    before(async () => {
      const opened = await open();
      world = await logWorld({ after: (close) => void closing.push(close as () => unknown) }, opened);
      closing.unshift(opened.close);
      const made = await world.control.ok('POST', '/v1/workspaces', { body: { name: 'Other' } });
      other = { id: String(made.id), slug: String(made.slug) };
      const { seed, logs } = world;
      const alpha = {
        model: 'alpha',
        provider: 'openai',
        configSlug: 'pc-a',
        providerSlug: 'open-a',
        promptSlug: 'pp-a',
      };
      seed({
        ...alpha,
        createdAt: at,
        durationMs: 300,
        costNanoUsd: cent,
        user: 'ann',
        metadata: { team: 'red', _user: 'ann' },
        traceId: 't1',
      });
      seed({
        ...alpha,
        createdAt: at + minute,
        costNanoUsd: 2 * cent,
        status: 500,
        durationMs: 300,
        keyId: 'key-2',
        user: 'ann',
      });
      seed({
        ...alpha,
        createdAt: at + 2 * minute,
        costNanoUsd: 0,
        cacheStatus: 'HIT',
        durationMs: 30,
        metadata: { team: 'red' },
      });
      seed({
        model: 'beta',
        provider: 'anthropic',
        createdAt: at + 3 * minute,
        costNanoUsd: 9 * cent,
        cacheStatus: 'MISS',
        totalTokens: 50,
        inputTokens: 30,
        outputTokens: 20,
        metadata: { team: 'blue' },
      });
      seed({ model: 'gamma', workspaceId: other.id, createdAt: at });
      const place = { organisationId: world.control.organisationId, workspaceId: world.workspaceId };
      logs.feedback([
        { ...place, id: 'f1', traceId: 't1', createdAt: at, value: 4, weight: 1, metadata: {}, givenBy: null },
      ]);
      await opened.settled();
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    for (const [by, rows] of [
      [
        'ai_service',
        [
          ['openai', 3],
          ['anthropic', 1],
        ],
      ],
      [
        'model',
        [
          ['alpha', 3],
          ['beta', 1],
        ],
      ],
      [
        'status_code',
        [
          [200, 3],
          [500, 1],
        ],
      ],
      [
        'api_key',
        [
          ['key-1', 3],
          ['key-2', 1],
        ],
      ],
      [
        'config',
        [
          ['pc-a', 3],
          [null, 1],
        ],
      ],
      [
        'provider',
        [
          ['open-a', 3],
          [null, 1],
        ],
      ],
      [
        'prompt',
        [
          ['pp-a', 3],
          [null, 1],
        ],
      ],
    ] as const) {
      it(`by ${by} have nothing but the number of requests`, async () => {
        const data = rows.map(([key, requests]) => ({ [by]: key, requests, object: 'analytics-group' }));
        assert.deepEqual(await get(by), { object: 'list', total: rows.length, data });
        assert.deepEqual(await get(`${by}s`), { object: 'list', total: rows.length, data });
      });
    }

    it('have the columns that are asked for, in US cents, milliseconds, per cent and Unix seconds', async () => {
      const columns =
        'cost,total_tokens,avg_tokens,avg_input_tokens,avg_output_tokens,avg_latency,success_rate,error_count,cache_hit_rate,last_seen,first_seen';
      const { data } = await get('model', `&columns=${columns}`);
      assert.deepEqual(data, [
        {
          model: 'alpha',
          requests: 3,
          cost: 3,
          total_tokens: 45,
          avg_tokens: 15,
          avg_input_tokens: 10,
          avg_output_tokens: 5,
          avg_latency: 210,
          success_rate: 66.666667,
          error_count: 1,
          cache_hit_rate: 100,
          last_seen: (at + 2 * minute) / 1000,
          first_seen: at / 1000,
          object: 'analytics-group',
        },
        {
          model: 'beta',
          requests: 1,
          cost: 9,
          total_tokens: 50,
          avg_tokens: 50,
          avg_input_tokens: 30,
          avg_output_tokens: 20,
          avg_latency: 100,
          success_rate: 100,
          error_count: 0,
          cache_hit_rate: 0,
          last_seen: (at + 3 * minute) / 1000,
          first_seen: (at + 3 * minute) / 1000,
          object: 'analytics-group',
        },
      ]);
    });

    it('have percentiles where they are asked for', async () => {
      const [alpha] = (await get('model', '&columns=p95_latency,p99_latency')).data;
      for (const name of ['p95_latency', 'p99_latency'])
        assert.ok(Math.abs(Number(alpha?.[name]) - 300) <= 6, `${name}: ${alpha?.[name]}`);
    });

    it('are ordered by what the list of orders allows, and come in pages', async () => {
      const models = async (query: string) => (await get('model', query)).data.map(({ model }) => model);
      assert.deepEqual(await models('&order_by=cost&order_by_type=desc'), ['beta', 'alpha']);
      assert.deepEqual(await models('&order_by=cost&order_by_type=asc'), ['alpha', 'beta']);
      assert.deepEqual(await models('&page_size=1&current_page=1'), ['beta']);
      assert.equal((await get('model', '&page_size=1&include_total=true')).total, 2);
      assert.equal('total' in (await get('model', '&include_total=false')), false);
      for (const [query, param] of [
        ['&order_by=model;drop', 'order_by'],
        ['&order_by=success_rate', 'order_by'],
        ['&order_by_type=sideways', 'order_by_type'],
        ['&columns=cost,secrets', 'columns'],
        ['&page_size=0', 'page_size'],
        ['&current_page=-1', 'current_page'],
      ] as const) {
        const path = `/v1/analytics/groups/model?${stretch}${query}`;
        assert.deepEqual(await refused(world.control, 'GET', path, { as: world.key }), [400, param]);
      }
      const unknown = `/v1/analytics/groups/weekday?${stretch}`;
      assert.deepEqual(await refused(world.control, 'GET', unknown, { as: world.key }), [400, 'groupBy']);
    });

    it('of users, models and values of metadata have columns of their own', async () => {
      assert.deepEqual((await get('users', '&order_by=cost&order_by_type=asc')).data, [
        { user: 'ann', requests: 2, cost: 3, object: 'analytics-group' },
        { user: null, requests: 2, cost: 9, object: 'analytics-group' },
      ]);
      assert.deepEqual((await get('ai-models')).data[0], { ai_model: 'alpha', requests: 3, object: 'analytics-group' });
      const red = (await get('metadata/team')).data.find(({ metadata_value }) => metadata_value === 'red');
      assert.deepEqual(red, {
        metadata_value: 'red',
        requests: 2,
        cost: 1,
        avg_tokens: 15,
        avg_weighted_feedback: 4,
        requests_with_feedback: 1,
        last_seen: (at + 2 * minute) / 1000,
        object: 'analytics-group',
      });
    });

    it('of workspaces compare all of the organisation for those who run it, by their slugs', async () => {
      for (const path of ['workspace', 'workspaces']) {
        const { data } = await get(path, '', {});
        assert.deepEqual(
          data.map(({ workspace, requests }) => [String(workspace).startsWith('ws-'), requests]),
          [
            [true, 4],
            [true, 1],
          ],
        );
        assert.equal((await get(path)).data.length, 1, 'a key of a workspace sees its own');
      }
    });

    it('are of the workspace that a key is bound to, whatever it names', async () => {
      const models = async (query: string, as = world.key) =>
        (await get('model', query, as)).data.map(({ model }) => model);
      assert.deepEqual(await models(`&workspace_slug=${other.slug}`), ['alpha', 'beta']);
      assert.deepEqual(await models(`&workspace_slug=${other.slug}`, {}), ['gamma']);
      assert.deepEqual(await models(`&workspace_slug=${other.id}`, {}), ['gamma']);
      assert.deepEqual(await models('', {}), [], 'the default workspace has no requests');
      for (const yes of ['true', '1', 'TRUE'])
        assert.deepEqual((await models(`&all_workspaces=${yes}`, {})).sort(), ['alpha', 'beta', 'gamma']);
      for (const no of ['false', '0']) assert.deepEqual(await models(`&all_workspaces=${no}`, {}), []);
      const path = `/v1/analytics/groups/model?${stretch}&workspace_slug=ws-nobody`;
      assert.deepEqual(await refused(world.control, 'GET', path), [404, 'workspace_slug']);
    });

    it('refuse a choice that is neither yes nor no', async () => {
      for (const name of ['all_workspaces', 'include_total']) {
        const path = `/v1/analytics/groups/model?${stretch}&${name}=perhaps`;
        assert.deepEqual(await refused(world.control, 'GET', path), [400, name]);
      }
      const counted = await world.control.ok('GET', `/v1/analytics/groups/model?${stretch}&include_total=0`);
      assert.equal('total' in counted, false);
    });

    it('are the same below /logs, for whoever may list logs', async () => {
      const { data } = await world.control.ok('GET', `/v1/logs/groups/model?${stretch}&columns=cost`, {
        as: { ...world.key, scopes: ['logs.list'] },
      });
      assert.deepEqual(data, [
        { model: 'alpha', requests: 3, cost: 3, object: 'analytics-group' },
        { model: 'beta', requests: 1, cost: 9, object: 'analytics-group' },
      ]);
    });
  });
});
