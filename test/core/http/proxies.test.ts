import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';

describe('the address of a caller', () => {
  for (const [hops, expected] of [
    [0, '127.0.0.1'],
    [1, '203.0.113.9'],
    [2, '198.51.100.7'],
  ] as const) {
    it(`is taken past ${hops} proxies, and from nobody further out`, async (t) => {
      const control = await startControl(t, {
        plugins: ['audit-log', 'tenancy'],
        config: { server: { trustedProxyHops: hops } },
      });
      const headers = { 'x-forwarded-for': '192.0.2.66, 198.51.100.7, 203.0.113.9' };
      await control.ok('POST', '/v1/workspaces', { body: { name: 'Told' }, headers });
      const { records } = await control.ok('GET', '/v1/audit-logs?method=POST');
      assert.equal((records as JsonObject[])[0]?.client_ip, expected);
    });
  }
});
