import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../core/new-id.ts';

it('ids are UUIDs of version 7, each of its own, and begin with the time', () => {
  const before = Date.now();
  const ids = Array.from({ length: 2_000 }, newId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const moment = Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
    assert.ok(moment >= before && moment <= Date.now());
  }
});
