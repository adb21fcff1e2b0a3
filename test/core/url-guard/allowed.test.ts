import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUrlGuard } from '../../../core/upstream/url-guard/guard.ts';

const allowed: readonly (readonly [url: string, hostname: string])[] = [
  ['https://api.example.com', 'api.example.com'],
  ['https://api.example.com/v1', 'api.example.com'],
  ['https://api.example.com:443/v1', 'api.example.com'],
  ['https://api.example.com:8443/v1?a=b&c=%20d', 'api.example.com'],
  ['http://models.example.com:8080/v1', 'models.example.com'],
  ['http://models.example.com', 'models.example.com'],
  ['HTTPS://API.Example.COM/V1', 'api.example.com'],
  ['https://api.example.com?version=1', 'api.example.com'],
  ['https://api.example.com/users/@me/50%25', 'api.example.com'],
  ['https://api.example.com/v1?next=https://other.example.com/', 'api.example.com'],
  ['https://a.b.c.d.e.f.g.h.example.com', 'a.b.c.d.e.f.g.h.example.com'],
  ['https://my-resource.openai.example.com/', 'my-resource.openai.example.com'],
  ['https://0x7f.example.com', '0x7f.example.com'],
  ['https://10.0.0.1.example.com', '10.0.0.1.example.com'],
  ['https://localhost.example.com', 'localhost.example.com'],
  ['https://notnip.io', 'notnip.io'],
  ['https://internal.example.com', 'internal.example.com'],
  ['https://metadata.example.com', 'metadata.example.com'],
  ['https://8.8.8.8/v1', '8.8.8.8'],
  ['http://1.1.1.1:8000', '1.1.1.1'],
  ['http://172.15.255.255', '172.15.255.255'],
  ['http://172.32.0.1', '172.32.0.1'],
  ['http://100.63.255.255', '100.63.255.255'],
  ['http://100.128.0.1', '100.128.0.1'],
  ['http://223.255.255.254', '223.255.255.254'],
  ['https://[2606:4700:4700::1111]/v1', '[2606:4700:4700::1111]'],
  ['https://[2606:4700:4700:0:0:0:0:1111]:8443/', '[2606:4700:4700::1111]'],
  [`https://api.example.com/${'a'.repeat(2048 - 24)}`, 'api.example.com'],
];

describe('a URL to a public host', () => {
  const guard = createUrlGuard();
  for (const [url, hostname] of allowed) {
    it(`is accepted without trust: ${url.slice(0, 70)}`, () => {
      const checked = guard.checkText(url, 'custom_host');
      assert.equal(checked.url.hostname, hostname);
      assert.equal(checked.trusted, false);
    });
  }
});
