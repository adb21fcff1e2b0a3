import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
});
