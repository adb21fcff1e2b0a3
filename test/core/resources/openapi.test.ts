import assert from 'node:assert/strict';
import { it } from 'node:test';
import { validate } from '@readme/openapi-parser';
import type { JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';

it('describes every route in a document that an OpenAPI 3.1 validator accepts', async (t) => {
  const control = await startControl(t);
  const document = JSON.parse((await control.call('GET', '/openapi.json')).text) as JsonObject & {
    paths: Record<string, Record<string, { operationId: string; responses: JsonObject }>>;
  };
  const result = await validate(structuredClone(document) as never);
  assert.deepEqual(result.valid ? [] : (result as { errors: unknown }).errors, []);
  assert.equal(document.openapi, '3.1.0');
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const documented = (control.gateway.control?.endpoints ?? []).filter(({ hidden }) => !hidden);
  assert.equal(operations.length, documented.length);
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length, 'operation ids differ');
  const unanswered = documented.filter(({ reply, status }) => reply === undefined && status === 200);
  assert.deepEqual(
    unanswered.map(({ method, path }) => `${method} ${path}`),
    [],
    'routes without a reply schema',
  );
});

it('names the workspace as a parameter where a call may be about one', async (t) => {
  const control = await startControl(t);
  const { paths } = JSON.parse((await control.call('GET', '/openapi.json')).text) as {
    paths: Record<string, Record<string, { parameters: readonly { name: string; in: string }[] }>>;
  };
  const told = (path: string) =>
    paths[path]?.get?.parameters.filter(({ name, in: place }) => place === 'query' && /^workspace_/.test(name)).length;
  for (const path of ['policies/rate-limits', 'policies/usage-limits', 'policies/usage-limits/{id}', 'configs'])
    assert.equal(told(`/v1/${path}`), 1, path);
  for (const path of ['api-keys', 'logs', 'logs/exports']) assert.equal(told(`/v1/${path}`), 1, path);
  for (const path of ['workspaces', 'model-prices', 'workspaces/{workspace}/users', 'auth/self'])
    assert.equal(told(`/v1/${path}`), 0, path);
});

it('shows the document on a page that loads nothing from elsewhere', async (t) => {
  const control = await startControl(t, { plugins: ['audit-log', 'tenancy'] });
  const page = await control.call('GET', '/docs');
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(/src="https?:/.test(page.text), false);
  assert.equal(
    (await control.call('GET', '/docs/page.js')).headers.get('content-type')?.startsWith('text/javascript'),
    true,
  );
});
