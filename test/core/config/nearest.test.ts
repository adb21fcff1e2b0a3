import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../../../core/config/nearest.ts';

describe('the nearest name', () => {
  const names = ['port', 'host', 'body_limit', 'drain_timeout', 'deepseek'];
  const cases: readonly [string, string | undefined][] = [
    ['prot', 'port'],
    ['bodyLimit', 'body_limit'],
    ['drain-timeout', 'drain_timeout'],
    ['deepsek', 'deepseek'],
    ['DeepSeek', 'deepseek'],
    ['zebra', undefined],
    ['', undefined],
  ];
  for (const [word, name] of cases) {
    it(`of "${word}" is ${name}`, () => assert.equal(nearest(word, names), name));
  }
});
