import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { allScopes, asObject, asObjects, type Json, type JsonObject } from 'portcullis/sdk';
import standardPlugins from '../../../../core/control/default.json' with { type: 'json' };
import { type CallOptions, startControl, type TestCaller, type TestControl } from '../../../support/control.ts';
import { onEachStore } from '../../../support/stores.ts';

/** What is shared, by where its routes stand. */
export const kinds = [
  { path: '/v1/prompts', kind: 'prompts', noun: 'prompt' },
  { path: '/v1/prompts/partials', kind: 'prompt_partials', noun: 'partial' },
] as const;
export type Kind = (typeof kinds)[number];

export interface Workspace {
  readonly id: string;
  readonly slug: string;
}

export interface Made {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}

/** A control plane with three workspaces, of which the first owns what the tests share. */
export interface Place {
  readonly control: TestControl;
  readonly owner: Workspace;
  readonly recipient: Workspace;
  readonly stranger: Workspace;
  /** With the provider `main`, unless told otherwise. */
  workspace(withProvider?: boolean): Promise<Workspace>;
  make(kind: Kind, body?: JsonObject, at?: Workspace): Promise<Made>;
  publish(kind: Kind, made: Made, string: string): Promise<void>;
  share(kind: Kind, made: Made, ...recipients: readonly Workspace[]): Promise<JsonObject>;
  /** Ids of those that it is shared with, `*` for all. */
  recipients(made: Made): Promise<readonly string[]>;
  /** Whether the workspace may read it. */
  reaches(kind: Kind, made: Made, at: Workspace): Promise<boolean>;
  /** Status and param of what should not go through, and the message. */
  refused(method: string, path: string, options?: CallOptions): Promise<readonly [number, Json | undefined, string]>;
  /** The session of a person with these roles. */
  person(roles: readonly { readonly at: Workspace; readonly role: string }[]): Promise<string>;
}

/** A key of the workspace, with all that keys may do. */
export const keyOf = ({ id }: Workspace, scopes: readonly string[] = [...allScopes]): TestCaller => ({
  workspaceId: id,
  keyType: 'workspace-service',
  scopes,
});

/** Runs the tests on each kind of store, in one control plane each. */
export function inEachPlace(what: string, work: (place: () => Place) => void): void {
  onEachStore((_, __, fresh) => {
    describe(what, () => {
      let place: Place | undefined;
      const closing: (() => unknown)[] = [];
      before(async () => {
        const control = await startControl(
          { after: (close) => void closing.push(close as () => unknown) },
          { store: await fresh(), plugins: [...new Set([...standardPlugins, 'prompts'])] },
        );
        place = await placeOf(control);
      });
      after(async () => {
        for (const close of closing) await close();
      });
      work(() => place ?? assert.fail('The gateway has not started.'));
    });
  });
}

async function placeOf(control: TestControl): Promise<Place> {
  const { id: integration } = await control.ok('POST', '/v1/integrations', {
    body: { name: 'Main', ai_provider_id: 'openai', key: 'sk-of-a' },
  });
  const workspace: Place['workspace'] = async (withProvider = true) => {
    const made = await control.ok('POST', '/v1/workspaces', { body: { name: `W ${randomUUID()}` } });
    const grant = { id: String(made.id), enabled: true, default_provider_slug: 'main' };
    if (withProvider)
      await control.ok('PUT', `/v1/integrations/${integration}/workspaces`, { body: { workspaces: [grant] } });
    return { id: String(made.id), slug: String(made.slug) };
  };
  const owner = await workspace();
  const share: Place['share'] = ({ path }, { id }, ...recipients) =>
    control.ok('POST', `${path}/${id}/share`, { body: { workspaces: recipients.map((one) => one.id) } });
  return {
    control,
    owner,
    recipient: await workspace(),
    stranger: await workspace(),
    workspace,
    make: async ({ path, kind }, body = {}, at = owner) => {
      const content = kind === 'prompts' ? { parameters: {}, virtual_key: 'main', model: 'gpt-a' } : {};
      const standard = { name: 'Greeting', string: 'Hello {{who}}', workspace_id: at.id };
      const made = await control.ok('POST', path, { body: { ...standard, ...content, ...body } });
      return { id: String(made.id), slug: String(made.slug), version_id: String(made.version_id) };
    },
    publish: async ({ path }, { id }, string) => {
      await control.ok('PUT', `${path}/${id}`, { body: { string, patch: true } });
      const { data } = await control.ok('GET', `${path}/${id}/versions`);
      const version = Math.max(...asObjects(data).map((one) => Number(one.prompt_version ?? one.version)));
      await control.ok('PUT', `${path}/${id}/makeDefault`, { body: { version } });
    },
    share,
    recipients: async ({ id }) => {
      const store = control.gateway.control?.store ?? assert.fail('no control plane');
      const rows: readonly { readonly workspace_id: string }[] = await store.db('prompt_shares').where('record_id', id);
      return rows.map(({ workspace_id }) => workspace_id).toSorted();
    },
    reaches: async ({ path }, { id }, at) => {
      const { status } = await control.call('GET', `${path}/${id}`, { as: keyOf(at) });
      assert.ok(status === 200 || status === 404, `status ${status}`);
      return status === 200;
    },
    refused: async (method, path, options) => {
      const { status, json } = await control.call(method, path, options);
      const error = asObject(json.error);
      return [status, error?.param, String(error?.message)];
    },
    person: async (roles) => {
      const person = { email: `${randomUUID()}@example.com`, password: 'eleven purple boats' };
      const workspaces = roles.map(({ at, role }) => ({ id: at.id, role }));
      const { invite_link: link } = await control.ok('POST', '/v1/admin/users/invites', {
        body: { email: person.email, role: 'member', workspaces },
      });
      const token = /([A-Za-z0-9_-]{32,})$/.exec(String(link))?.[1] ?? assert.fail(String(link));
      await control.ok('POST', '/v1/invites/accept', { key: '', body: { token, password: person.password } });
      return String((await control.ok('POST', '/v1/auth/login', { key: '', body: person })).token);
    },
  };
}
