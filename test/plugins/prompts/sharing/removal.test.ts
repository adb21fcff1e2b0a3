import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GatewayError, type StoredRecord } from 'portcullis/sdk';
import { systemRequest } from '../../../../core/control/control-host.ts';
import { modelOf } from '../../../../core/resources/model.ts';
import { startOperation } from '../../../../core/resources/operation.ts';
import { promptPartials } from '../../../../plugins/prompts/records/partials.ts';
import { prompts } from '../../../../plugins/prompts/records/prompts.ts';
import { reactions } from '../../../../plugins/prompts/sharing/reactions.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { inEachPlace, keyOf, kinds, type Place, type Workspace } from './place.ts';

const [prompt, partial] = kinds;

inEachPlace('sharing and removal', (place) => {
  it('does not let a workspace go that others use something of, unless it is forced', async () => {
    const { control, recipient, workspace, make, share, refused, reaches, recipients } = place();
    const giving = await workspace();
    const made = await make(prompt, {}, giving);
    await share(prompt, made, recipient);
    const path = `/v1/admin/workspaces/${giving.id}`;
    const [status, param] = await refused('DELETE', path);
    assert.deepEqual([status, param], [409, 'force_delete']);
    assert.equal(await reaches(prompt, made, recipient), true);
    await control.ok('DELETE', path, { body: { force_delete: true } });
    assert.equal(await reaches(prompt, made, recipient), false);
    assert.deepEqual(await recipients(made), []);
  });

  it('says by name what others use', async () => {
    const { recipient, workspace, make, share } = place();
    const giving = await workspace();
    const [first, kept, piece] = [
      await make(prompt, {}, giving),
      await make(prompt, {}, giving),
      await make(partial, {}, giving),
    ];
    await share(prompt, first, recipient);
    assert.match(await refusalOf(place(), giving), new RegExp(`the prompt ${first.slug} with`));
    await share(partial, piece, recipient);
    const text = await refusalOf(place(), giving);
    assert.match(text, new RegExp(`the prompt ${first.slug} and the partial ${piece.slug} with`));
    assert.ok(!text.includes(kept.slug), text);
    const more = await Promise.all(Array.from({ length: 11 }, () => make(prompt, {}, giving)));
    for (const one of more) await share(prompt, one, recipient);
    assert.match(await refusalOf(place(), giving), /the prompts (pp-\S+, ){9}pp-\S+ and 2 more and the partial/);
  });

  it('forgets a recipient that is removed', async () => {
    const { control, recipient, workspace, make, share, recipients } = place();
    const leaving = await workspace();
    for (const kind of kinds) {
      const made = await make(kind);
      await share(kind, made, recipient, leaving);
      assert.equal((await recipients(made)).length, 2);
    }
    await control.ok('DELETE', `/v1/admin/workspaces/${leaving.id}`, { body: { force_delete: true } });
    const store = control.gateway.control?.store ?? assert.fail('no control plane');
    assert.deepEqual(await store.db('prompt_shares').where('workspace_id', leaving.id), []);
  });

  for (const kind of kinds) {
    it(`ends the shares of a ${kind.noun} with it`, async () => {
      const { control, recipient, make, share, recipients, reaches } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      await control.ok('DELETE', `${kind.path}/${made.id}`);
      assert.deepEqual(await recipients(made), []);
      assert.equal(await reaches(kind, made, recipient), false);
      for (const route of ['share', 'unshare', 'fork']) {
        const body = { workspaces: [recipient.id], workspace_id: recipient.id };
        const { status } = await control.call('POST', `${kind.path}/${made.id}/${route}`, {
          body,
          as: keyOf(recipient),
        });
        assert.equal(status, 404, route);
      }
    });
  }
});

/** What the removal of the workspace is refused with by sharing, whatever else keeps it. */
async function refusalOf({ control }: Place, workspace: Workspace): Promise<string> {
  const { store } = control.gateway.control ?? assert.fail('no control plane');
  const scope = { organisationId: control.organisationId };
  const host = { transaction: () => assert.fail('nothing is written') };
  const models = [prompts(host), promptPartials(host)].map((resource) => [resource.name, modelOf(resource)] as const);
  const unused = () => assert.fail('nothing is sealed');
  const { operation } = startOperation(
    {
      models: new Map(models),
      reactions: new Map(),
      loading: () => async () => undefined,
      tablesOf: () => new Set(['prompts', 'prompt_partials', 'prompt_shares']),
      crypt: { seal: unused, unseal: unused, digest: unused, pepper: unused, checksum: unused },
      timestamps: 'unix',
      now: control.now,
      newId: unused,
      log: recordingLog().log,
      isUniqueViolation: () => false,
      mails: { put: unused, sendDue: unused },
      audit: undefined,
      bumpVersion: async () => {},
      announce: () => {},
    },
    store.db,
    systemRequest('request', 'prompts', scope),
  );
  const record = (await store.db('workspaces').where('id', workspace.id).first()) as StoredRecord;
  const removing = reactions['workspaces.removing'] ?? assert.fail('no reaction');
  await removing(operation, record, { force: true });
  const refusal = await removing(operation, record, {}).then(
    () => assert.fail('nothing keeps it'),
    (error: unknown) => error,
  );
  assert.ok(GatewayError.is(refusal) && refusal.code === 'conflict' && refusal.param === 'force_delete');
  return refusal.message;
}
