import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { transportError } from '../../../core/upstream/transport-errors.ts';

const coded = (code: string, message = 'connect ECONNREFUSED 10.1.2.3:443', extra: object = {}) =>
  Object.assign(new Error(message), { code }, extra);

describe('a transport failure in words for the caller', () => {
  const table: readonly [string, unknown, string, number, RegExp][] = [
    ['a refused connection', coded('ECONNREFUSED'), 'upstream_unreachable', 502, /refused/],
    ['a reset', coded('ECONNRESET'), 'upstream_unreachable', 502, /reset/],
    ['an unknown host', coded('ENOTFOUND'), 'upstream_unreachable', 502, /does not resolve/],
    ['an expired certificate', coded('CERT_HAS_EXPIRED'), 'upstream_unreachable', 502, /expired/],
    [
      'a certificate for another name',
      coded('ERR_TLS_CERT_ALTNAME_INVALID'),
      'upstream_unreachable',
      502,
      /another name/,
    ],
    ['a connect timeout of undici', coded('UND_ERR_CONNECT_TIMEOUT'), 'upstream_connect_timeout', 503, /in time/],
    ['a connect timeout of the system', coded('ETIMEDOUT'), 'upstream_connect_timeout', 503, /in time/],
    ['a parser error', coded('HPE_INVALID_CONSTANT'), 'upstream_invalid', 502, /not HTTP/],
    [
      'what the parser has found',
      Object.assign(new Error('Response does not match the HTTP/1.1 protocol (Invalid header token)'), {
        name: 'HTTPParserError',
      }),
      'upstream_invalid',
      502,
      /not HTTP: Invalid header token\./,
    ],
    ['a head that is too large', coded('UND_ERR_HEADERS_OVERFLOW'), 'upstream_invalid', 502, /headers/],
    ['an unknown code', coded('EWHATEVER'), 'upstream_unreachable', 502, /the connection failed/],
    ['a name that every object has', coded('constructor'), 'upstream_unreachable', 502, /the connection failed/],
    ['a cause inside', new Error('outer', { cause: coded('ECONNREFUSED') }), 'upstream_unreachable', 502, /refused/],
    [
      'one of several addresses',
      new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]),
      'upstream_unreachable',
      502,
      /no route/,
    ],
    ['nothing that is an error', 'text', 'upstream_unreachable', 502, /the connection failed/],
    ['undefined', undefined, 'upstream_unreachable', 502, /the connection failed/],
  ];
  for (const [what, error, code, status, words] of table) {
    it(`is ${code} for ${what}`, () => {
      const mapped = transportError(error, 'some');
      assert.deepEqual([mapped.code, mapped.status], [code, status]);
      assert.match(mapped.message, words);
      assert.match(mapped.message, /some/);
      assert.doesNotMatch(mapped.message, /10\.1\.2\.3/);
    });
  }

  it('is the error of the gateway where one lies underneath', () => {
    const own = new GatewayError('url_blocked', 'no');
    assert.equal(transportError(new Error('outer', { cause: own }), 'some'), own);
  });

  it('ends for an error that is its own cause', () => {
    const error: Error & { cause?: unknown } = new Error('loop');
    error.cause = error;
    assert.equal(transportError(error, 'some').code, 'upstream_unreachable');
  });
});
