import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { allScopes, type JsonObject } from 'portcullis/sdk';
import type { CallOptions } from '../../../support/control.ts';
import { inEachPlace, type Kind, keyOf, kinds, type Made, type Place } from './place.ts';

/** Each route with a body that is right for whoever owns the record. */
const routes = {
  share: ['POST', 'share', ({ stranger }) => ({ workspaces: [stranger.id] })],
  replace: ['PUT', 'share', ({ recipient, stranger }) => ({ workspaces: [recipient.id, stranger.id] })],
  drop: ['POST', 'unshare', ({ owner, recipient }) => ({ workspace_id: owner.id, workspaces: [recipient.id] })],
  leave: ['POST', 'unshare', ({ recipient }) => ({ workspace_id: recipient.id })],
  forkHome: ['POST', 'fork', ({ owner }) => ({ workspace_id: owner.id })],
  forkAway: ['POST', 'fork', ({ recipient }) => ({ workspace_id: recipient.id })],
  forkFar: ['POST', 'fork', ({ stranger }) => ({ workspace_id: stranger.id })],
  end: ['DELETE', 'share', () => undefined],
} as const satisfies Readonly<Record<string, readonly [string, string, (place: Place) => JsonObject | undefined]>>;
type Route = keyof typeof routes;

type Row = readonly [who: string, statuses: Readonly<Record<Route, number>>];

const statuses = (
  share: number,
  replace: number,
  drop: number,
  leave: number,
  forkHome: number,
  forkAway: number,
  forkFar: number,
  end: number,
) => ({ share, replace, drop, leave, forkHome, forkAway, forkFar, end });

// Who is bound to a workspace is told of what it does not reach that there is no such thing.
const table: readonly Row[] = [
  //                                        share replace drop leave forkHome forkAway forkFar end
  ['a key of the organisation', statuses(200, 200, 200, 200, 200, 200, 200, 200)],
  ['one that may only read', statuses(403, 403, 403, 403, 403, 403, 403, 403)],
  ['a key of the owner', statuses(200, 200, 200, 400, 200, 403, 403, 200)],
  ['one that may not update', statuses(403, 403, 403, 403, 200, 403, 403, 403)],
  ['one that may not create', statuses(200, 200, 200, 400, 403, 403, 403, 200)],
  ['one that may not read', statuses(200, 200, 200, 400, 403, 403, 403, 200)],
  ['a key of the recipient', statuses(404, 404, 200, 200, 403, 200, 403, 404)],
  ['one there that may not update', statuses(403, 403, 403, 403, 403, 200, 403, 403)],
  ['one there that may not create', statuses(404, 404, 200, 200, 403, 403, 403, 404)],
  ['one there that may not read', statuses(404, 404, 200, 200, 403, 403, 403, 404)],
  ['a key of a stranger', statuses(404, 404, 404, 404, 403, 403, 404, 404)],
  ['a manager of the owner', statuses(200, 200, 200, 403, 200, 403, 403, 200)],
  ['a member of the owner', statuses(403, 403, 403, 403, 403, 403, 403, 403)],
  ['a manager of the recipient', statuses(403, 403, 403, 200, 403, 200, 403, 403)],
  ['a member of the recipient', statuses(403, 403, 403, 403, 403, 403, 403, 403)],
  ['a manager of the recipient and a stranger', statuses(403, 403, 403, 200, 403, 200, 200, 403)],
  ['a manager of a stranger', statuses(403, 403, 403, 403, 403, 403, 403, 403)],
  ['a manager of the owner and a stranger', statuses(200, 200, 200, 403, 200, 403, 200, 200)],
];

const without = (action: string) => [...allScopes].filter((scope) => scope !== `prompts.${action}`);

async function callers({ owner, recipient, stranger, person }: Place): Promise<ReadonlyMap<string, CallOptions>> {
  const managing = async (...at: readonly (typeof owner)[]) => ({
    key: await person(at.map((one) => ({ at: one, role: 'manager' }))),
  });
  const member = async (at: typeof owner) => ({ key: await person([{ at, role: 'member' }]) });
  return new Map<string, CallOptions>([
    ['a key of the organisation', {}],
    ['one that may only read', { as: { scopes: ['prompts.read', 'prompts.list'] } }],
    ['a key of the owner', { as: keyOf(owner) }],
    ['one that may not update', { as: keyOf(owner, without('update')) }],
    ['one that may not create', { as: keyOf(owner, without('create')) }],
    ['one that may not read', { as: keyOf(owner, without('read')) }],
    ['a key of the recipient', { as: keyOf(recipient) }],
    ['one there that may not update', { as: keyOf(recipient, without('update')) }],
    ['one there that may not create', { as: keyOf(recipient, without('create')) }],
    ['one there that may not read', { as: keyOf(recipient, without('read')) }],
    ['a key of a stranger', { as: keyOf(stranger) }],
    ['a manager of the owner', await managing(owner)],
    ['a member of the owner', await member(owner)],
    ['a manager of the recipient', await managing(recipient)],
    ['a member of the recipient', await member(recipient)],
    ['a manager of the recipient and a stranger', await managing(recipient, stranger)],
    ['a manager of a stranger', await managing(stranger)],
    ['a manager of the owner and a stranger', await managing(owner, stranger)],
  ]);
}

for (const kind of kinds) {
  inEachPlace(`the rights to a ${kind.noun}`, (place) => {
    let known: ReadonlyMap<string, CallOptions>;
    before(async () => {
      known = await callers(place());
    });
    for (const [who, expected] of table) {
      it(`of ${who} are its own`, async () => {
        const found: Partial<Record<Route, number>> = {};
        let made = await shared(kind, place());
        for (const route of Object.keys(routes) as Route[]) {
          const [method, path, bodyOf] = routes[route];
          const body = bodyOf(place());
          const { status } = await place().control.call(method, `${kind.path}/${made.id}/${path}`, {
            ...known.get(who),
            ...(body === undefined ? {} : { body }),
          });
          found[route] = status;
          if (status === 200) made = await shared(kind, place());
        }
        assert.deepEqual(found, expected);
      });
    }

    it('let a recipient read and use it, and neither change nor publish nor remove it', async () => {
      const { control, recipient } = place();
      const made = await shared(kind, place());
      const as = keyOf(recipient);
      const path = `${kind.path}/${made.slug}`;
      const shown = await control.ok('GET', path, { as });
      assert.deepEqual([shown.id, shown.string], [made.id, 'Hello {{who}}']);
      const changes = [
        ['PUT', path, { name: 'Mine' }],
        ['PUT', path, { string: 'Mine', patch: true }],
        ['PUT', `${path}/makeDefault`, { version: 1 }],
        ['DELETE', path, undefined],
      ] as const;
      for (const [method, at, body] of changes) {
        const { status } = await control.call(method, at, { as, ...(body === undefined ? {} : { body }) });
        assert.equal(status, 404, `${method} ${at}`);
      }
      assert.equal((await control.ok('GET', path)).name, 'Greeting');
    });
  });
}

async function shared(kind: Kind, { make, share, recipient }: Place): Promise<Made> {
  const made = await make(kind);
  await share(kind, made, recipient);
  return made;
}
