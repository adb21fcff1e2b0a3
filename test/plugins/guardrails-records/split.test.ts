import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createHttpSource } from '../../../core/directory/http-source.ts';
import { inEachPlace } from './place.ts';

inEachPlace('a gateway without a control plane of its own', (place) => {
  it('finds guardrails of the organisation and of workspaces, and credentials', async (t) => {
    const { control, workspace, make, serviceToken } = place();
    const [own, shared] = [await make(), await make({}, null)];
    await control.ok('PUT', '/v1/plugins/test-vendor', { body: { credentials: { apiKey: 'of-the-vendor' } } });
    const source = createHttpSource({ url: new URL(control.url), serviceToken });
    t.after(() => source.close());
    const found = async (kind: 'guardrail' | 'checkCredentials', ...path: string[]) =>
      (await source.load(kind, [control.organisationId, ...path], t.signal)).entry as
        | Record<string, unknown>
        | undefined;
    assert.equal((await found('guardrail', workspace, own.slug))?.id, own.id);
    assert.equal((await found('guardrail', workspace, shared.slug))?.id, shared.id);
    assert.equal((await found('guardrail', '', shared.id))?.id, shared.id);
    assert.equal(await found('guardrail', '', own.id), undefined);
    assert.deepEqual((await found('checkCredentials', 'test-vendor'))?.credentials, { apiKey: 'of-the-vendor' });
    assert.equal(await found('checkCredentials', 'test-words'), undefined);
  });
});
