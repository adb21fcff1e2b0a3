import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forwardedFor, isForwardable } from '../../../plugins/guardrails/run/forward-headers.ts';
import { safeHeaders } from '../../../plugins/guardrails/scan/safe-headers.ts';
import { exchangeOf } from '../../support/exchange.ts';

describe('headers that a check may forward', () => {
  for (const name of ['x-tenant', 'x-request-id', 'user-agent', 'traceparent', 'x-gw-trace-id', 'x-portkey-span-id'])
    it(`include ${name}`, () => assert.equal(isForwardable(name), true));

  for (const name of [
    'authorization',
    'proxy-authorization',
    'x-api-key',
    'api-key',
    'ocp-apim-subscription-key',
    'x-goog-api-key',
    'cookie',
    'set-cookie',
    'metadata',
    'metadata-flavor',
    'x-aws-ec2-metadata-token',
    'connection',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'host',
    'content-length',
    'expect',
    'x-gw-api-key',
    'x-gw-config',
    'x-gw-anything',
    'x-portkey-virtual-key',
    'x-portcullis-metadata',
    'x-acme-api-key',
    'x-acme-config',
    '',
    'two words',
    'line\nbreak',
  ])
    it(`never include ${JSON.stringify(name)}`, () => assert.equal(isForwardable(name), false));
});

describe('headers that a check forwards', () => {
  const id = '0af7651916cd43dd8448eb211c80319c';
  const of = (headers: Readonly<Record<string, string>>, names: readonly string[] = []) =>
    forwardedFor(exchangeOf({ headers }), names);

  it('are those of the list that the request has', () => {
    const headers = { 'x-tenant': 'a', 'x-other': 'b', traceparent: 't' };
    assert.deepEqual(of(headers, ['x-tenant', 'x-missing']), { 'x-tenant': 'a', traceparent: 't' });
  });

  for (const [what, trace, parent] of [
    ['made of a trace id', id, `00-${id}-${id.slice(0, 16)}-01`],
    ['made of a UUID', '0AF76519-16CD-43DD-8448-EB211C80319C', `00-${id}-${id.slice(0, 16)}-01`],
    ['left out where the id is of another form', 'my-trace', undefined],
    ['left out where the id is all zeros', '0'.repeat(32), undefined],
  ] as const) {
    it(`have a traceparent that is ${what}`, () => {
      assert.equal(of({ 'x-gw-trace-id': trace }).traceparent, parent);
    });
  }
});

describe('headers that a check sees', () => {
  it('hold nothing that could be a credential', () => {
    const shown = {
      'x-gw-span-id': 's',
      'x-amzn-trace-id': 'z',
      accept: '*/*',
      'user-agent': 'u',
      'x-tenant': 'a',
      'x-request-id': 'r',
      'x-gw-trace-id': 't',
    };
    const hidden = [
      'authorization',
      'x-gw-api-key',
      'x-gw-config',
      'x-gw-virtual-key',
      'x-gw-custom-host',
      'x-my-token',
      'x-client-secret',
      'cookie',
      'x-amz-signature',
      'x-session-id',
      'x-jwt-assertion',
      'x-user-password',
      'x-gw-vertex-service-account-json',
      'x-acme-provider',
      'x-acme-metadata',
      'x-acme-virtual-model',
      'x-acme-private-url',
      'x-portkey-azure-ad-token',
      'x-auth-trace-token',
      'dpop',
      'x-pat',
      'x-amzn-oidc-data',
      'x-amzn-oidc-identity',
      'x-ms-client-principal',
      'x-ms-client-principal-name',
      'x-bearer',
      'aws-session',
    ];
    const headers = { ...shown, ...Object.fromEntries(hidden.map((name) => [name, 'canary'])) };
    assert.deepEqual(safeHeaders(headers), shown);
    assert.equal(safeHeaders(headers), safeHeaders(headers));
  });
});
