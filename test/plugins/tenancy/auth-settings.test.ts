import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { GatewayError, type JsonObject, type StoredRecord } from 'portcullis/sdk';
import { readAuthSettings } from '../../../plugins/tenancy/organisations/auth-settings.ts';
import { demandProof, verificationRecord, withProven } from '../../../plugins/tenancy/organisations/domains.ts';

const host = {
  randomText: (length: number) => 't'.repeat(length),
  checkUrl: async (url: string, param: string) => {
    if (url.includes('169.254')) throw new GatewayError('url_blocked', 'Not called.', { param });
  },
};
const read = (given: JsonObject, before: JsonObject = {}) => readAuthSettings(before, given, host);
const rsa = (bits: number, part: 'publicKey' | 'privateKey' = 'publicKey') =>
  generateKeyPairSync('rsa', { modulusLength: bits })[part].export({ format: 'jwk' }) as unknown as JsonObject;
const refusedAt = (param: string) => (error: unknown) => GatewayError.is(error) && error.param === param;

describe('the signing keys of an organisation', () => {
  it('are public keys', async () => {
    const jwks = {
      keys: [rsa(2048), generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as unknown as JsonObject],
    };
    assert.deepEqual(await read({ jwks }), { jwks });
  });

  it('stand at a URL instead, which the gateway must be able to call', async () => {
    const jwks_url = 'https://login.example.com/keys';
    assert.deepEqual(await read({ jwks_url }), { jwks_url });
    await assert.rejects(read({ jwks_url: 'http://169.254.169.254/' }), refusedAt('auth_settings.jwks_url'));
  });

  it('stand in one of the two places', async () => {
    const jwks = { keys: [rsa(2048)] };
    await assert.rejects(
      read({ jwks }, { jwks_url: 'https://login.example.com/keys' }),
      refusedAt('auth_settings.jwks'),
    );
    assert.deepEqual(await read({ jwks, jwks_url: null }, { jwks_url: 'https://login.example.com/keys' }), { jwks });
  });

  for (const [what, jwks, param] of [
    ['private', { keys: [rsa(2048, 'privateKey')] }, 'auth_settings.jwks.keys[0]'],
    ['symmetric', { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }, 'auth_settings.jwks.keys[0]'],
    ['short', { keys: [rsa(2048), rsa(1024)] }, 'auth_settings.jwks.keys[1].n'],
    [
      'padded with zeros',
      { keys: [{ kty: 'RSA', e: 'AQAB', n: Buffer.alloc(300, 0).fill(1, 200).toString('base64url') }] },
      'auth_settings.jwks.keys[0].n',
    ],
    ['missing', { keys: [] }, 'auth_settings.jwks.keys'],
    ['no keys', { keys: ['key'] }, 'auth_settings.jwks.keys[0]'],
  ] as const) {
    it(`are refused when they are ${what}`, () =>
      assert.rejects(read({ jwks: jwks as unknown as JsonObject }), refusedAt(param)));
  }
});

describe('the domains of an organisation', () => {
  const proven = { domain: 'example.com', verified: true, allow_subdomains: false, token: 'abc' };

  it('keep their proof while they stay, whatever a body says about it', async () => {
    const given = { domains: [{ domain: 'example.com' }, { domain: 'new.example', verified: true }] };
    assert.deepEqual((await read(given, { domains: [proven] })).domains, [
      proven,
      { domain: 'new.example', verified: false, allow_subdomains: false, token: 't'.repeat(32) },
    ]);
  });

  it('lose it when they are taken away and come back', async () => {
    const without = await read({ domains: [] }, { domains: [proven] });
    const [back] = (await read({ domains: [{ domain: 'example.com' }] }, without)).domains as JsonObject[];
    assert.equal(back?.verified, false);
  });

  it('are named once', () =>
    assert.rejects(
      read({ domains: [{ domain: 'a.example' }, { domain: 'A.example' }] }),
      refusedAt('auth_settings.domains[1].domain'),
    ));

  it('are proven by the token in their TXT record', async () => {
    const asked: string[] = [];
    const lookup = (texts: readonly string[]) => async (name: string) => {
      asked.push(name);
      return texts;
    };
    await demandProof(proven, lookup(['v=spf1', ' portcullis-verification=abc ']));
    assert.deepEqual(asked, ['_portcullis.example.com']);
    for (const texts of [[], ['portcullis-verification=abcd'], ['abc']])
      await assert.rejects(demandProof(proven, lookup(texts)), /_portcullis\.example\.com has no TXT record/);
  });

  it('say which record that is', () =>
    assert.deepEqual(verificationRecord(proven), {
      type: 'TXT',
      name: '_portcullis.example.com',
      value: 'portcullis-verification=abc',
    }));

  it('are proven one by one', () => {
    const domains = [
      { ...proven, verified: false },
      { domain: 'b.example', verified: false, token: 'x' },
    ];
    const record = { auth_settings: { jwks_url: 'u', domains } } as unknown as StoredRecord;
    assert.deepEqual(withProven(record, 'example.com'), { jwks_url: 'u', domains: [proven, domains[1]] });
  });
});
