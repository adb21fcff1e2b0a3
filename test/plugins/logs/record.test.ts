import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogEntry, Manifest, RecordBodies, RequestRecord } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import manifest from '../../../plugins/logs/plugin.json' with { type: 'json' };
import { logPhase } from '../../../plugins/logs/record/log-phase.ts';
import { maskedHeaders, namesOf } from '../../../plugins/logs/record/masked-headers.ts';

const record: RequestRecord = {
  id: 'request-1',
  traceId: 'trace-1',
  spanId: '00f067aa0ba902b7',
  startedAt: 1_000,
  durationMs: 25,
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chatComplete',
  status: 200,
  stream: false,
  principal: 'key-1',
  organisationId: 'organisation-1',
  workspaceId: 'workspace-1',
  keyId: 'key-1',
  provider: 'openai',
  model: 'gpt-a',
  target: 'config',
  retries: 1,
  usage: { input: 7, output: 3, cacheRead: 2 },
  usageSource: 'provider',
  cost: { nanoUsd: 42, parts: {}, source: 'catalogue' },
  cache: 'HIT',
  savedNanoUsd: 17,
  metadata: { _user: 'ann', team: 'red' },
  error: undefined,
};

const said = (control: Readonly<Record<string, string>> = {}, headers: Readonly<Record<string, string>> = {}) =>
  ({
    request: () => ({ headers, body: Buffer.from('{"model":"gpt-a"}') }),
    response: () => ({ headers: { 'x-served': 'yes' }, body: Buffer.from('{"ok":1}'), truncated: false }),
    control: (name) => control[name],
  }) satisfies RecordBodies;

type Logging = 'full' | 'metrics' | undefined;

/** What the phase writes of a request, where organisation and workspace keep so much. */
async function written(
  { organisation, workspace }: { readonly organisation?: Logging; readonly workspace?: Logging } = {},
  bodies: RecordBodies | undefined = said(),
  of: RequestRecord = record,
) {
  const place = { organisationId: 'organisation-1', slug: 'x', name: 'x', security: {}, blockInlineConfig: false };
  const keeps = (logging: Logging) => ({ ...place, defaults: {}, ...(logging && { requestLogging: logging }) });
  const host = createTestHost({
    manifest: manifest as Manifest,
    directory: {
      organisation: { 'organisation-1': { ...keeps(organisation), id: 'organisation-1' } },
      workspace: {
        'organisation-1/workspace-1': { ...keeps(workspace), id: 'workspace-1', status: 'active' },
      },
    },
  });
  await logPhase(host)(of, bodies);
  return { entries: host.entries, feedback: host.feedbackRows };
}

describe('the log of a request', () => {
  it('has its numbers, and names whose it is', async () => {
    const [entry] = (await written()).entries;
    const { row } = entry as LogEntry;
    assert.equal(row.organisationId, 'organisation-1');
    assert.equal(row.workspaceId, 'workspace-1');
    assert.deepEqual([row.inputTokens, row.outputTokens, row.totalTokens, row.cacheReadTokens], [7, 3, 10, 2]);
    assert.deepEqual([row.costNanoUsd, row.savedNanoUsd, row.cacheStatus], [42, 17, 'HIT']);
    assert.deepEqual([row.user, row.metadata, row.source], ['ann', { _user: 'ann', team: 'red' }, 'gateway']);
  });

  it('has no cost where no price is known, which is not the same as free', async () => {
    const { cost: _, ...unpriced } = record;
    assert.equal((await written({}, said(), unpriced)).entries[0]?.row.costNanoUsd, null);
  });

  for (const [how, ended, status] of [
    ['whose stream broke off has the status of its error', { error: 'upstream_invalid' }, 502],
    ['whose denial looks like an answer has the status of that', { error: 'guardrail_denied' }, 200],
    ['that failed has the status that its client got', { status: 429, error: 'upstream_error' }, 429],
  ] as const)
    it(how, async () => {
      const [entry] = (await written({}, said(), { ...record, ...ended })).entries;
      assert.deepEqual([entry?.row.status, entry?.row.error], [status, ended.error]);
    });

  it('is not kept for callers of the operator’s file', async () => {
    const { organisationId: _, ...foreign } = record;
    assert.deepEqual((await written({}, said(), foreign)).entries, []);
  });

  it('has what guardrails thought of it as feedback on its trace', async () => {
    const given = { traceId: 'trace-1', value: -5, weight: 1, metadata: { guardrailId: 'g' } };
    const { feedback } = await written({}, said(), { ...record, feedback: [given] });
    assert.equal(feedback.length, 1);
    assert.deepEqual(
      { ...feedback[0], id: '', createdAt: 0 },
      {
        ...given,
        id: '',
        createdAt: 0,
        organisationId: 'organisation-1',
        workspaceId: 'workspace-1',
        givenBy: null,
      },
    );
  });

  for (const [what, settings, control, kept] of [
    ['by default', {}, {}, true],
    ['not where the organisation keeps numbers alone', { organisation: 'metrics' }, {}, false],
    ['where the workspace keeps more than the organisation', { organisation: 'metrics', workspace: 'full' }, {}, true],
    ['not where the workspace keeps less', { organisation: 'full', workspace: 'metrics' }, {}, false],
    ['not when the request switches it off', {}, { debug: 'false' }, false],
    ['not when the request tries to switch it on', { workspace: 'metrics' }, { debug: 'true' }, false],
  ] as const) {
    it(`has what was said ${what}`, async () => {
      const [entry] = (await written(settings, said(control))).entries;
      assert.equal(entry?.bodies !== undefined, kept);
      if (kept) assert.equal(Buffer.from(entry?.bodies?.request.body ?? '').toString(), '{"model":"gpt-a"}');
    });
  }

  it('masks headers that hold credentials, and those that the request names', async () => {
    const headers = {
      authorization: 'Bearer abc',
      'x-gw-api-key': 'pc-1',
      'x-team': 'red',
      'x-customer': 'ACME',
      'x-odd': 'sk-abcdefghijklmnop',
      'x-gw-config': '{"api_key":"secret"}',
      'x-gw-trace-id': 'trace-1',
    };
    const [entry] = (await written({}, said({ 'sensitive-headers': 'X-Customer, x-none' }, headers))).entries;
    assert.deepEqual(entry?.bodies?.request.headers, {
      authorization: '*****',
      'x-gw-api-key': '*****',
      'x-team': 'red',
      'x-customer': '*****',
      'x-odd': '*****',
      'x-gw-config': '*****',
      'x-gw-trace-id': 'trace-1',
    });
  });
});

describe('the mask of headers', () => {
  for (const value of [
    'Basic dXNlcjpwYXNz',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    'AKIAIOSFODNN7EXAMPLE',
    'ghp_abcdefghijklmnopqrstuvwxyz',
    'AIzaSyA1234567890abcdefghijk',
    'https://user:password@example.com/',
    '-----BEGIN PRIVATE KEY-----',
  ])
    it(`hides ${value.slice(0, 12)}… whatever the header is called`, () =>
      assert.deepEqual(maskedHeaders({ 'x-note': value }), { 'x-note': '*****' }));

  for (const name of ['x-passphrase', 'Passphrase', 'x-pwd', 'x-custom-pass', 'x-otp', 'x-hmac', 'x-sig', 'x-sas'])
    it(`hides what is called ${name}`, () => assert.deepEqual(maskedHeaders({ [name]: 'abc' }), { [name]: '*****' }));

  for (const [name, value, shown] of [
    ['referer', 'https://x.example/cb?access_token=abc', 'https://x.example/cb?*****'],
    ['x-forwarded-uri', '/v1/cb?sig=abc&b=1', '/v1/cb?*****'],
    ['location', 'HTTPS://b.example/#access_token=abc', 'HTTPS://b.example/#*****'],
    ['link', '<https://b.example/a?t=1>; rel="next", </b>', '<https://b.example/a?*****>; rel="next", </b>'],
    [
      'x-original-url',
      'https://a.example/p, https://b.example/q?k=v',
      'https://a.example/p, https://b.example/q?*****',
    ],
  ] as const)
    it(`cuts what an address in ${name} asks`, () => {
      const twice = [maskedHeaders({ [name]: value }), maskedHeaders({ [name]: value })];
      assert.deepEqual(twice, [{ [name]: shown }, { [name]: shown }]);
    });

  it('hides what is called after tokens that are no count', () =>
    assert.deepEqual(maskedHeaders({ 'x-access-tokens': 'abc' }), { 'x-access-tokens': '*****' }));

  for (const [name, value] of [
    ['content-type', 'application/json'],
    ['x-max-tokens', '100'],
    ['x-ratelimit-remaining-tokens', '12'],
    ['user-agent', 'node'],
    ['sec-ch-ua-mobile', '?0'],
    ['x-passage', 'a'],
    ['x-question', 'who/what? #1'],
    ['origin', 'https://x.example'],
    ['x-gw-metadata-id', 'abc-123'],
  ] as const)
    it(`leaves ${name} as it is`, () => assert.deepEqual(maskedHeaders({ [name]: value }), { [name]: value }));

  it('takes a list of names with commas, in any case', () =>
    assert.deepEqual(maskedHeaders({ 'X-Mine': '1', other: '2' }, namesOf('x-mine ,, nothing')), {
      'X-Mine': '*****',
      other: '2',
    }));
});
