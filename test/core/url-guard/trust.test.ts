import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUrlGuard } from '../../../core/upstream/url-guard/guard.ts';

interface Case {
  readonly entry: string;
  readonly trusted?: readonly string[];
  readonly untrusted?: readonly string[];
}

const cases: readonly Case[] = [
  {
    entry: 'example.com',
    trusted: ['https://example.com', 'https://api.example.com:6379', 'http://a.b.example.com', 'http://EXAMPLE.com'],
    untrusted: ['https://badexample.com', 'https://example.com.au'],
  },
  { entry: 'example.com:8080', trusted: ['http://example.com:8080'], untrusted: ['http://example.com:8081'] },
  { entry: 'example.com:443', trusted: ['https://example.com'], untrusted: ['http://example.com'] },
  { entry: 'example.com:6379', trusted: ['http://example.com:6379'] },
  { entry: '*.example.com', trusted: ['https://api.example.com'], untrusted: ['https://example.com'] },
  { entry: '*.example.com:8443', trusted: ['https://a.example.com:8443'], untrusted: ['https://a.example.com'] },
  { entry: 'localhost', trusted: ['http://localhost:11434', 'http://api.localhost'] },
  { entry: 'ollama', trusted: ['http://ollama:11434/v1'] },
  { entry: ' Ollama ', trusted: ['http://ollama'] },
  { entry: 'api.default.svc.cluster.local', trusted: ['http://api.default.svc.cluster.local'] },
  { entry: '*.svc.cluster.local', trusted: ['http://api.default.svc.cluster.local:27017'] },
  { entry: 'app.nip.io', trusted: ['http://app.nip.io'] },
  { entry: '127.0.0.1', trusted: ['http://127.0.0.1:22'], untrusted: ['http://8.8.8.8'] },
  { entry: '127.0.0.1:8080', trusted: ['http://127.0.0.1:8080'] },
  { entry: '::1', trusted: ['http://[::1]', 'http://[0:0:0:0:0:0:0:1]:9200'] },
  { entry: '[::1]', trusted: ['http://[::1]'] },
  { entry: '[fd12::5]:8080', trusted: ['http://[fd12:0::5]:8080'] },
  { entry: '10.0.0.0/8', trusted: ['http://10.200.3.4'], untrusted: ['http://11.0.0.1', 'https://a.example.com'] },
  { entry: 'fd12::/16', trusted: ['http://[fd12:1::1]'], untrusted: ['http://[2606:4700:4700::1111]'] },
  { entry: '', untrusted: ['https://api.example.com'] },
];

describe('a trusted host', () => {
  for (const { entry, trusted = [], untrusted = [] } of cases) {
    it(`"${entry}" is trusted for exactly what it lists`, () => {
      const guard = createUrlGuard({ trustedHosts: [entry] });
      for (const url of trusted) assert.equal(guard.checkText(url, 'url').trusted, true, url);
      for (const url of untrusted) assert.equal(guard.checkText(url, 'url').trusted, false, url);
    });
  }

  const stillRefused: readonly (readonly [entry: string, url: string, why: RegExp])[] = [
    ['127.0.0.1:8080', 'http://127.0.0.1:8081', /private, loopback/],
    ['localhost:8080', 'http://localhost:8081', /names are internal/],
    ['example.com:8080', 'http://example.com:6379', /port 6379/],
    ['10.0.0.0/8', 'http://192.168.0.1', /private, loopback/],
    ['*.lan', 'http://lan', /names are internal/],
    ['169.254.169.254', 'http://169.254.169.254', /never called/],
    ['169.254.0.0/16', 'http://169.254.170.2', /never called/],
    ['0.0.0.0/0', 'http://100.100.100.200', /never called/],
    ['168.63.129.16', 'http://168.63.129.16', /never called/],
    ['fd00:ec2::254', 'http://[fd00:ec2::254]', /never called/],
    ['metadata.google.internal', 'http://metadata.google.internal', /metadata hosts are never called/],
    ['internal', 'http://metadata.google.internal', /metadata hosts are never called/],
    ['metadata', 'http://metadata', /metadata hosts are never called/],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]', /dotted form/],
    ['127.0.0.1', 'http://2130706433', /dotted form/],
    ['127.0.0.1', 'http://127.1', /dotted form/],
    ['example.com', 'http://user@example.com', /user names/],
    ['example.com', 'http://example.com.', /end in a dot/],
    ['example.com', 'http://example.com/#x', /fragment/],
    ['example.com', 'ftp://example.com', /only http and https/],
    ['example.com', 'http://xn--a.example.com', /punycode/],
  ];
  for (const [entry, url, why] of stillRefused) {
    it(`"${entry}" does not open ${url}`, () => {
      const guard = createUrlGuard({ trustedHosts: [entry] });
      assert.throws(() => guard.checkText(url, 'url'), { code: 'url_blocked', message: why });
    });
  }

  const unusable = [
    ...['*', 'http://example.com', 'example.com/v1', '10.0.0.0/33', 'my_host', 'a.*.example.com', 'exämple.com'],
    ...['example.com:0', 'example.com:65536', 'example.com:', 'a:b:c', '[example.com]', '127.1', '::ffff:127.0.0.1'],
  ];
  for (const entry of unusable) {
    it(`is refused at start when it could never match: "${entry}"`, () => {
      assert.throws(() => createUrlGuard({ trustedHosts: [entry] }), {
        code: 'invalid_config',
        param: 'TRUSTED_CUSTOM_HOSTS',
        message: /cannot be used: .* Accepted: host, host:port/,
      });
    });
  }
});
