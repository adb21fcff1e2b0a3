import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configOf, providerOf, workspaceOf } from '../support/directory.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

describe('the explanation of a request in a workspace', () => {
  const options = {
    workspaces: [workspaceOf('a')],
    providers: [
      providerOf('a', 'p', {
        customHost: 'https://p.example/v1',
        settings: { api_key: 'secret-key' },
        customHeaders: { 'x-team-key': 'secret-header' },
      }),
    ],
    configs: [
      configOf('a', 'pc-f', {
        strategy: { mode: 'fallback' },
        targets: [{ virtual_key: 'p' }, { virtual_key: 'gone' }],
      }),
    ],
    callers: { alice: { workspace: 'a' }, reader: { workspace: 'a', scopes: [] } },
    cold: true,
  };

  it('shows each target, and no secret', async (t) => {
    const { gateway } = await workspaceGateway(t, options);
    const report = await gateway.explain({ headers: { 'x-gw-api-key': 'alice', 'x-gw-config': 'pc-f' }, body });
    const [served, missing] = report.targets;
    assert.equal(served?.url, 'https://p.example/v1/chat/completions');
    assert.deepEqual([served?.headers?.authorization, served?.headers?.['x-team-key']], ['****', '****']);
    assert.equal(missing?.error?.code, 'unknown_virtual_key');
    assert.doesNotMatch(JSON.stringify(report), /secret-/);
  });

  it('shows no credential that a config or its provider adds to a request', async (t) => {
    const { gateway } = await workspaceGateway(t, {
      ...options,
      providers: [
        ...options.providers,
        providerOf('a', 'z', {
          provider: 'bytez',
          customHost: 'https://z.example/v1',
          settings: { api_key: 'secret-key', bytez_provider_key: 'secret-of-the-vendor' },
        }),
      ],
      configs: [
        configOf('a', 'pc-tools', {
          strategy: { mode: 'fallback' },
          targets: [{ virtual_key: 'p' }, { virtual_key: 'z' }],
          override_params: {
            tools: [
              { type: 'mcp', server_label: 'crm', server_url: 'https://crm.example', authorization: 'secret-tool' },
            ],
            vendor_settings: '{"apiKey":"secret-text"}',
          },
        }),
      ],
    });
    const report = await gateway.explain({ headers: { 'x-gw-api-key': 'alice', 'x-gw-config': 'pc-tools' }, body });
    assert.deepEqual(
      report.targets.map(({ error, body }) => [error, (body as { model?: string } | undefined)?.model]),
      [
        [undefined, 'm'],
        [undefined, 'm'],
      ],
    );
    assert.match(
      JSON.stringify(report),
      /"server_label":"crm","server_url":"https:\/\/crm.example","authorization":"\*+"/,
    );
    assert.equal(report.targets[1]?.headers?.['provider-key'], '****');
    assert.doesNotMatch(JSON.stringify(report), /secret-/);
  });

  const refused: readonly [string, Record<string, string>, string][] = [
    ['a missing permission', { 'x-gw-api-key': 'reader', 'x-gw-virtual-key': 'p' }, 'forbidden'],
    ['a config of nobody', { 'x-gw-api-key': 'alice', 'x-gw-config': 'pc-none' }, 'invalid_config'],
  ];
  for (const [what, headers, code] of refused) {
    it(`tells of ${what}`, async (t) => {
      const { gateway } = await workspaceGateway(t, options);
      assert.equal((await gateway.explain({ headers, body })).error?.code, code);
    });
  }
});
