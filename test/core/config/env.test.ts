import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { environmentTable, readEnvironment } from '../../../core/config/env.ts';
import { coerceText } from '../../../core/config/read-text.ts';
import { validatorOf } from '../../../core/config/validator.ts';

function refusal(source: Record<string, string>): GatewayError {
  try {
    readEnvironment(source);
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'nothing was refused' });
}

describe('the environment', () => {
  it('reads each variable as its schema says', () => {
    const { lookup, ...values } = readEnvironment({
      PORT: '9000',
      HOST: '::1',
      HEADER_VENDORS: 'gw, acme ,',
      TRUSTED_CUSTOM_HOSTS: '*.corp.example,10.0.0.0/8',
      REQUEST_TIMEOUT: ' 5000 ',
      LOG_LEVEL: 'debug',
      DRAIN_TIMEOUT: '0',
    });
    assert.deepEqual(values, {
      PORT: 9000,
      HOST: '::1',
      HEADER_VENDORS: ['gw', 'acme'],
      TRUSTED_CUSTOM_HOSTS: ['*.corp.example', '10.0.0.0/8'],
      REQUEST_TIMEOUT: 5000,
      LOG_LEVEL: 'debug',
      DRAIN_TIMEOUT: 0,
    });
    assert.equal(lookup('PORT'), '9000');
  });

  it('takes an empty variable for an absent one', () => {
    const { lookup, ...values } = readEnvironment({ PORT: '', LOG_LEVEL: '  ' });
    assert.deepEqual(values, {});
    assert.equal(lookup('LOG_LEVEL'), '  ');
  });

  const refused: readonly [string, string, RegExp][] = [
    ['PORT', '65536', /PORT must be an integer from 0 to 65535\./],
    ['PORT', '80.5', /an integer/],
    ['PORT', '0x50', /an integer/],
    ['PORT', 'secret-word', /an integer/],
    ['GAP_TIMEOUT', '0', /from 1 to 2147483647/],
    ['GAP_TIMEOUT', 'Infinity', /integer/],
    ['HOST', 'http://localhost', /host name or an IP address/],
    ['HEADER_VENDORS', ',', /a list with commas/],
    ['HEADER_VENDORS', 'gw,gw', /none twice/],
    ['HEADER_VENDORS', 'GW', /lower-case letters/],
    ['LOG_LEVEL', 'loud', /trace, debug, info, warn, error, fatal or silent/],
    ['SERVER_MODE', 'both', /all, gateway or control/],
    ['SERVICE_TOKEN', 'secret-word', /32 to 1024/],
    ['CONTROL_PLANE_URL', 'https://user:secret-word@control.example', /without user/],
    ['CONTROL_PLANE_INSECURE', 'maybe', /true or false/],
    ['DIRECTORY_POLL_MS', '99', /from 100 to 60000/],
    ['REDIS_URL', 'http://secret-word', /redis or rediss URL/],
    ['MAX_BODY_BYTES', '-1', /from 1 to 536870888/],
  ];
  for (const [name, value, message] of refused) {
    it(`refuses ${name}=${value}, naming the variable and not the value`, () => {
      const error = refusal({ [name]: value });
      assert.equal(error.code, 'invalid_config');
      assert.equal(error.param, name);
      assert.match(error.message, message);
      assert.ok(!error.message.includes('secret-word'));
    });
  }

  it('tells all faults at once', () => {
    const error = refusal({ PORT: 'x', LOG_LEVEL: 'y' });
    assert.equal(error.message.split('\n').length, 2);
  });

  it('finds only own variables of the source', () => {
    const { lookup } = readEnvironment({ OPENAI_API_KEY: 'k' });
    assert.equal(lookup('OPENAI_API_KEY'), 'k');
    assert.equal(lookup('toString'), undefined);
    assert.equal(lookup('MISSING'), undefined);
  });

  it('documents every variable, with a default that its own schema accepts', () => {
    for (const [name, row] of Object.entries(environmentTable)) {
      assert.ok(row.summary.endsWith('.'), name);
      if (row.default !== undefined) assert.ok(validatorOf(row.schema)(row.default), name);
    }
  });
});

describe('texts read as another type', () => {
  const cases: readonly [string, string, unknown][] = [
    ['boolean', 'true', true],
    ['boolean', 'OFF', false],
    ['boolean', 'maybe', 'maybe'],
    ['number', '1.5', 1.5],
    ['number', '1e3', 1000],
    ['integer', '', ''],
    ['string', '12', '12'],
  ];
  for (const [type, text, value] of cases) {
    it(`reads "${text}" as ${type}`, () => assert.equal(coerceText({ type }, text), value));
  }
});
