import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Checks, Manifest } from 'portcullis/sdk';
import { createTestHost, testRequest, testTarget } from 'portcullis/sdk/testing';

const manifest: Manifest = { name: 'sample', kind: 'plugin', version: '1.0.0', sdk: '^1.0.0', title: 'Sample' };

const checks: Checks = {
  summaries: [],
  find: () => undefined,
  ready: (id) => {
    throw new Error(`asked for ${id}`);
  },
  checkCredentials: () => {},
};

describe('the test host of plugins that run checks', () => {
  it('gives the checks that it was given', () => {
    const host = createTestHost({ manifest: { ...manifest, permissions: { checks: true } }, checks });
    assert.equal(host.checks.summaries, checks.summaries);
    assert.throws(() => host.checks.ready('a.b', {}, 'parameters'), /asked for a\.b/);
  });
  it('refuses them without a grant, when they are used', () => {
    const { checks: refused } = createTestHost({ manifest, checks });
    assert.throws(() => refused.find('a.b'), { code: 'forbidden' });
    assert.throws(() => refused.summaries, { code: 'forbidden' });
  });
  it('says so where there are none', () => {
    assert.throws(() => createTestHost().checks.find('a.b'), /give it `checks`/);
  });
  it('keeps what is noted about requests', () => {
    const host = createTestHost();
    const request = testRequest();
    host.note(request, { feedback: [] });
    assert.deepEqual(host.notes, [{ request, note: { feedback: [] } }]);
  });
  it('has sections for guardrails in the file', () => {
    const guardrails = { main: { checks: [], actions: {} } };
    const host = createTestHost({ file: { guardrails } });
    assert.deepEqual([host.file('guardrails'), host.file('guardrailCredentials')], [guardrails, {}]);
  });
  it('makes targets without guardrails', () => {
    assert.deepEqual(testTarget().hooks, { before: [], after: [] });
  });
});
