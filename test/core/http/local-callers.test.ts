import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { refuseForeignPages } from '../../../core/http/local-callers.ts';

const closed = { enabled: false, origins: ['*'] };
const any = { enabled: true, origins: ['*'] };
const one = { enabled: true, origins: ['https://app.example'] };

type Case = readonly [
  host: string | undefined,
  origin: string | undefined,
  cors: typeof closed,
  refused: 'host' | 'origin' | undefined,
];

const cases: readonly Case[] = [
  ['localhost:8787', undefined, closed, undefined],
  ['LOCALHOST', undefined, closed, undefined],
  ['127.0.0.1:8787', undefined, closed, undefined],
  ['127.8.9.1', undefined, closed, undefined],
  ['[::1]:8787', undefined, closed, undefined],
  [undefined, undefined, closed, undefined],
  ['evil.example', undefined, closed, 'host'],
  ['127.0.0.1.evil.example', undefined, any, 'host'],
  ['localhost.evil.example:8787', undefined, closed, 'host'],
  ['10.0.0.5:8787', undefined, closed, 'host'],
  ['localhost:8787', 'https://evil.example', closed, 'origin'],
  ['localhost:8787', 'null', closed, 'origin'],
  ['localhost:8787', 'http://localhost:3000', closed, undefined],
  ['localhost:8787', 'http://127.0.0.1:5173', closed, undefined],
  ['localhost:8787', 'http://localhost.evil.example', closed, 'origin'],
  ['localhost:8787', 'https://evil.example', any, undefined],
  ['localhost:8787', 'https://app.example', one, undefined],
  ['localhost:8787', 'https://evil.example', one, 'origin'],
];

function refusedParam(host: string | undefined, origin: string | undefined, cors: typeof closed): string | undefined {
  try {
    refuseForeignPages({ ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) }, cors);
  } catch (error) {
    assert.ok(GatewayError.is(error));
    assert.equal(error.status, 403);
    return error.param;
  }
  return undefined;
}

describe('a gateway without keys', () => {
  for (const [host, origin, cors, refused] of cases) {
    const says = refused === undefined ? 'answers' : `refuses the ${refused} of`;
    const shown = `${host ?? 'no host'} from ${origin ?? 'no origin'}, cors ${cors.enabled ? cors.origins : 'off'}`;
    it(`${says} ${shown}`, () => assert.equal(refusedParam(host, origin, cors), refused));
  }
});
