import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { authorityOf, difference } from '../../../core/packages/authority.ts';

describe('what a plugin asks for', () => {
  it('is a line for each permission, limit and place in the gateway', () => {
    assert.deepEqual(
      authorityOf({
        name: 'acme',
        title: 'Acme',
        kind: 'plugin',
        phases: ['log'],
        control: true,
        tables: ['acme'],
        limits: { memoryMb: 64 },
        permissions: { net: ['a.example:443', '*:*'], models: true, sandbox: false, file: ['keys'] },
      }),
      [
        'kind: plugin',
        'phases: log',
        'control',
        'tables: acme',
        'limits.memoryMb: 64',
        'permissions.net: a.example:443',
        'permissions.net: *:*',
        'permissions.models',
        'permissions.file: keys',
      ],
    );
  });

  it('differs by what came and what went', () => {
    const before = authorityOf({ kind: 'guardrail', permissions: { net: ['a.example:443', 'b.example:443'] } });
    const now = authorityOf({
      kind: 'guardrail',
      permissions: { net: ['*.example:443', 'b.example:443'], models: true },
    });
    assert.deepEqual(difference(before, now), {
      added: ['permissions.net: *.example:443', 'permissions.models'],
      removed: ['permissions.net: a.example:443'],
    });
  });

  it('holds the limits that a guardrail has without naming any', () => {
    assert.deepEqual(authorityOf({ kind: 'guardrail', limits: { memoryMb: 16 } }), [
      'kind: guardrail',
      'limits.memoryMb: 16',
      'limits.outboundCalls: 10',
    ]);
  });

  it('is more where a limit is raised or no longer named, and less where it is lowered', () => {
    const of = (limits?: JsonObject) => authorityOf({ kind: 'guardrail', ...(limits === undefined ? {} : { limits }) });
    assert.deepEqual(difference(of({ outboundCalls: 0 }), of()).added, ['limits.outboundCalls: 10']);
    assert.deepEqual(difference(of(), of({ memoryMb: 64 })).added, ['limits.memoryMb: 64']);
    assert.deepEqual(difference(of({ memoryMb: 64 }), of({ memoryMb: 8 })), {
      added: [],
      removed: ['limits.memoryMb: 64'],
    });
  });
});
