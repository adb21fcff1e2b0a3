import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { createUrlGuard } from '../../../core/upstream/url-guard/guard.ts';

const scheme = /only http and https/;
const absolute = /not an absolute URL/;
const credentials = /user names and passwords/;
const space = /white space and control characters/;
const backslash = /backslash/;
const characters = /only letters, digits, dots and hyphens/;
const emptyLabel = /empty label/;
const notation = /unusual notation; write the address in dotted form/;
const inside = /IPv4 address inside IPv6 .* write the address in dotted form/;
const internalAddress = /private, loopback and reserved addresses/;
const neverAddress = /never called, not even when they are trusted/;
const metadataName = /cloud metadata hosts are never called/;
const port = /port \d+ belongs to another kind of service/;
const badPort = /port must be 1 to 65535/;
const rebinding = /address of the caller's choice/;
const suffix = /names are internal; only a host that the operator trusts/;
const singleLabel = /single-label names/;

const refused: readonly (readonly [url: string, why: RegExp])[] = [
  // The URL as a whole.
  ['', absolute],
  ['api.example.com/v1', absolute],
  ['//api.example.com', absolute],
  ['https:api.example.com', absolute],
  ['https:/api.example.com', absolute],
  ['ftp://api.example.com', scheme],
  ['file:///etc/passwd', scheme],
  ['javascript:alert(1)', scheme],
  ['gopher://api.example.com:70/', scheme],
  ['data:text/plain,x', scheme],
  ['ws://api.example.com', scheme],
  ['blob:https://api.example.com/1', scheme],
  [`https://api.example.com/${'a'.repeat(2048 - 23)}`, /longer than 2048/],
  ['https://api.example.com/#x', /fragment/],
  ['https://api.example.com#', /fragment/],
  ['https://evil.example.com#@api.example.com', /fragment/],
  [' https://api.example.com', space],
  ['https://api.example.com\n', space],
  ['https://api.exa\tmple.com', space],
  ['https://api.example.com/a b', space],
  ['https://api.example.com\u0000', space],
  ['https://api.example.com\u00a0/', space],
  ['https://api.example.com\\@evil.example.com', backslash],
  ['https:\\\\api.example.com', backslash],
  // The authority.
  ['https://user:secret@api.example.com', credentials],
  ['https://user@api.example.com', credentials],
  ['https://@api.example.com', credentials],
  ['https://api.example.com%2f@evil.example.com', credentials],
  ['https://api%2eexample.com', /percent signs/],
  ['http://%31%32%37.0.0.1', /percent signs/],
  ['http://[fe80::1%25eth0]/', /percent signs/],
  ['https://', /host is missing/],
  ['https:///api.example.com', /host is missing/],
  ['https://:443', /host is missing/],
  ['https://api.example.com.', /end in a dot/],
  ['http://127.0.0.1.', /end in a dot/],
  ['https://api..example.com', emptyLabel],
  ['https://.example.com', emptyLabel],
  ['https://a.b.c.d.e.f.g.h.i.example.com', /more than 10 labels/],
  [`https://${'a'.repeat(64)}.example.com`, /longer than a DNS name/],
  [
    `https://${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.com`,
    /longer than a DNS name/,
  ],
  ['https://api_internal.example.com', characters],
  ['https://api,example.com', characters],
  ['https://$host.example.com', characters],
  ['https://*.example.com', characters],
  ['https://xn--80ak6aa92e.com', /punycode/],
  ['https://api.xn--p1ai', /punycode/],
  ['https://exämple.com', /international host names/],
  ['http://①②⑦.⓪.⓪.①', /international host names/],
  ['http://127。0。0。1', /international host names/],
  ['https://api.example.com:', badPort],
  ['https://api.example.com:0', badPort],
  ['https://api.example.com:65536', badPort],
  ['https://api.example.com:http', badPort],
  ['https://api.example.com:443:80', badPort],
  ['https://[::1', /brackets do not hold/],
  ['https://[v1.a]', /brackets do not hold/],
  ['https://[127.0.0.1]', /brackets do not hold/],
  // Unusual notations of IPv4, of public addresses too.
  ['http://2130706433', notation],
  ['http://134744072', notation],
  ['http://0x7f000001', notation],
  ['http://0x7f.1', notation],
  ['http://0x', notation],
  ['http://127.1', notation],
  ['http://127.0.1', notation],
  ['http://0177.0.0.1', notation],
  ['http://127.0.0.01', notation],
  ['http://0x08.0x08.0x08.0x08', notation],
  ['http://08.8.8.8', notation],
  ['http://256.1.1.1', notation],
  ['http://1.2.3.4.5', notation],
  ['http://0', notation],
  // IPv4 addresses.
  ['http://127.0.0.1', internalAddress],
  ['http://127.255.255.254:8080', internalAddress],
  ['http://10.0.0.1', internalAddress],
  ['http://172.16.0.1', internalAddress],
  ['http://172.31.255.255', internalAddress],
  ['http://192.168.1.1', internalAddress],
  ['http://100.64.0.1', internalAddress],
  ['http://192.0.2.1', internalAddress],
  ['http://198.51.100.1', internalAddress],
  ['http://203.0.113.1', internalAddress],
  ['http://198.18.0.1', internalAddress],
  ['http://240.0.0.1', internalAddress],
  ['http://0.0.0.0', neverAddress],
  ['http://0.1.2.3', neverAddress],
  ['http://224.0.0.1', neverAddress],
  ['http://255.255.255.255', neverAddress],
  ['http://169.254.1.1', neverAddress],
  ['http://169.254.169.254/latest/meta-data', neverAddress],
  ['http://169.254.170.2', neverAddress],
  ['http://100.100.100.200', neverAddress],
  ['http://168.63.129.16', neverAddress],
  // IPv6 addresses.
  ['http://[::1]', internalAddress],
  ['http://[0:0:0:0:0:0:0:1]', internalAddress],
  ['http://[fc00::1]', internalAddress],
  ['http://[fd12:3456::1]', internalAddress],
  ['http://[fec0::1]', internalAddress],
  ['http://[2001:db8::1]', internalAddress],
  ['http://[100::1]', internalAddress],
  ['http://[4000::1]', internalAddress],
  ['http://[2002:7f00:1::]', internalAddress],
  ['http://[2002:808:808::]', internalAddress],
  ['http://[2001:0:5ef5:79fd:0:59d:a0e5:ba1]', internalAddress],
  ['http://[2606:4700::5efe:10.0.0.1]', internalAddress],
  ['http://[::]', neverAddress],
  ['http://[fe80::1]', neverAddress],
  ['http://[ff02::1]', neverAddress],
  ['http://[fd00:ec2::254]', neverAddress],
  ['http://[fd20:ce::254]', neverAddress],
  ['http://[2002:a9fe:a9fe::]', neverAddress],
  ['http://[64:ff9b:1::10.0.0.1]', neverAddress],
  ['http://[::ffff:127.0.0.1]', inside],
  ['http://[::ffff:8.8.8.8]', inside],
  ['http://[::ffff:a9fe:a9fe]', inside],
  ['http://[::127.0.0.1]', inside],
  ['http://[::7f00:1]', inside],
  ['http://[::ffff:0:127.0.0.1]', inside],
  ['http://[64:ff9b::10.0.0.1]', inside],
  ['http://[64:ff9b::8.8.8.8]', inside],
  // Names.
  ['http://metadata', metadataName],
  ['http://metadata.google.internal/computeMetadata/v1', metadataName],
  ['http://METADATA.Google.Internal', metadataName],
  ['http://metadata.azure.com', metadataName],
  ['http://instance-data', metadataName],
  ['http://instance-data.ec2.internal', metadataName],
  ...['local', 'localdomain', 'internal', 'intranet', 'lan', 'home', 'corp', 'test', 'invalid', 'onion'].map(
    (name) => [`http://printer.${name}`, suffix] as const,
  ),
  ['http://localhost:11434/v1', suffix],
  ['http://api.localhost', suffix],
  ['http://api.default.svc.cluster.local', suffix],
  ['http://api.default.svc', suffix],
  ['http://ollama', singleLabel],
  ['http://127.0.0.1.nip.io', rebinding],
  ['http://10-0-0-1.sslip.io', rebinding],
  ['http://10.0.0.1.xip.io', rebinding],
  ['http://localtest.me', rebinding],
  ['http://app.lvh.me', rebinding],
  // Ports.
  ...[22, 23, 25, 110, 135, 139, 143, 445, 465, 587, 993, 995, 1433, 1521, 2049, 2375, 2376, 2379, 2380].map(
    (number) => [`http://api.example.com:${number}`, port] as const,
  ),
  ...[3306, 3389, 5432, 5900, 5984, 6379, 6443, 8086, 9042, 9200, 9300, 10250, 11211, 27017, 27018].map(
    (number) => [`https://8.8.8.8:${number}`, port] as const,
  ),
];

describe('a URL that leads elsewhere than to a public host', () => {
  const guard = createUrlGuard();
  for (const [url, why] of refused) {
    it(`is refused with its reason: ${JSON.stringify(url.slice(0, 70))}`, () => {
      assert.throws(() => guard.checkText(url, 'custom_host'), {
        name: 'GatewayError',
        code: 'url_blocked',
        status: 400,
        param: 'custom_host',
        message: why,
      });
    });
  }

  it('is refused by the asynchronous check before anything is resolved', async () => {
    const resolve = () => assert.fail('resolved');
    const asking = createUrlGuard({ resolve });
    await assert.rejects(asking.check('http://localhost', 'url'), { code: 'url_blocked', message: suffix });
    await assert.rejects(asking.check('http://127.0.0.1', 'url'), { code: 'url_blocked', message: internalAddress });
  });

  it('names the field and quotes neither the URL nor its credentials', () => {
    const thrown = (() => {
      try {
        return guard.checkText('https://alice:hunter2@10.9.8.7/path', 'targets[0].custom_host');
      } catch (error) {
        return error;
      }
    })();
    assert.ok(thrown instanceof GatewayError);
    assert.match(thrown.message, /^targets\[0\]\.custom_host is refused/);
    assert.doesNotMatch(thrown.message, /alice|hunter2|10\.9|path/);
  });
});
