import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { logWorld, noon } from '../../plugins/logs/world.ts';
import { startControl } from '../../support/control.ts';

/** Path, and the parameter that is refused. */
const contradictions: readonly (readonly [string, string])[] = [
  ['/v1/configs?status=active&status=archived', 'status'],
  ['/v1/configs?page_size=1&page_size=2', 'page_size'],
  ['/v1/configs?search=a&search=b', 'search'],
  ['/v1/configs?workspace_id=one&workspace_id=two', 'workspace_id'],
  ['/v1/labels?workspace_slug=one&workspace_slug=two', 'workspace_slug'],
  ['/v1/model-prices?provider=openai&provider=anthropic', 'provider'],
  ['/v1/audit-logs?method=PUT&method=POST', 'method'],
];

/** Nothing that says two things. */
const harmless = [
  '/v1/configs?status=active&status=active',
  '/v1/configs?status=&status=active&search=&search=',
  '/v1/configs?sort=up&sort=down&organisation_id=x&organisation_id=y',
];

describe('a parameter that comes several times', () => {
  it('is a list of all its values where it takes several', async (t) => {
    const control = await startControl(t);
    const make = async (name: string) => String((await control.ok('POST', '/v1/workspaces', { body: { name } })).id);
    const [kept, old] = [await make('Repeated'), await make('Repeated')];
    await control.ok('DELETE', `/v1/workspaces/${old}`);
    const listed = async (query: string) => {
      const { data } = await control.ok('GET', `/v1/workspaces?exact_name=Repeated&${query}`);
      return (data as readonly JsonObject[]).map(({ id }) => id).toSorted();
    };
    assert.deepEqual(await listed('status=active&status=archived'), [kept, old].toSorted());
    assert.deepEqual(await listed('status=archived&status=active'), [kept, old].toSorted());
    assert.deepEqual(await listed('status=active,archived&status=active'), [kept, old].toSorted());
    assert.deepEqual(await listed('status=active&status=active'), [kept]);
  });

  it('is a list of all its values where requests are chosen by it', async (t) => {
    const { control, key, seed } = await logWorld(t);
    for (const status of [200, 429, 500]) seed({ status, createdAt: noon - 1000 });
    for (const path of ['/v1/logs?', '/v1/logs/groups/status_code?']) {
      const found = await control.ok('GET', `${path}status_code=200&status_code=429`, { as: key });
      assert.equal(found.total, 2, path);
    }
    const grouped = await control.ok('GET', '/v1/logs/groups/status_code?columns=cost&columns=last_seen', {
      as: key,
    });
    const [first = {}] = grouped.data as readonly JsonObject[];
    assert.ok('cost' in first && 'last_seen' in first);
  });

  it('is refused where it takes one and the values differ', async (t) => {
    const control = await startControl(t);
    for (const [path, param] of contradictions) {
      const { status, json } = await control.call('GET', path, { key: control.adminKey });
      assert.deepEqual([status, (json.error as JsonObject).param], [400, param], JSON.stringify(json));
    }
  });

  it('counts where its values are one, or it means nothing to the route', async (t) => {
    const control = await startControl(t);
    for (const path of harmless) {
      const { status, text } = await control.call('GET', path, { key: control.adminKey });
      assert.equal(status, 200, text);
    }
  });
});
