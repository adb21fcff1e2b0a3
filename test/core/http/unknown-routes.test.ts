import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startControl } from '../../support/control.ts';

it('answers for unknown routes in the form of the plane that they look like', async (t) => {
  const control = await startControl(t, { plugins: ['audit-log', 'tenancy'] });
  const unknown = await control.call('GET', '/v1/gardens');
  assert.equal(unknown.status, 404);
  assert.deepEqual(Object.keys(unknown.json).sort(), ['data', 'error', 'message', 'success']);
  const wrong = await control.call('PATCH', '/v1/workspaces');
  assert.equal(wrong.status, 405);
  assert.deepEqual((wrong.headers.get('allow') ?? '').split(', ').sort(), ['GET', 'HEAD', 'POST']);
  assert.equal((wrong.json.data as { errorCode: string }).errorCode, 'AB01');
  const model = await control.call('GET', '/v1/chat/completions');
  assert.equal(model.status, 405);
  assert.deepEqual(Object.keys(model.json), ['error']);
});
