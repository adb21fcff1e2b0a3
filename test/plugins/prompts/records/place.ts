import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import {
  allScopes,
  asObject,
  asString,
  type Directory,
  type DirectoryKinds,
  type Json,
  type JsonObject,
} from 'portcullis/sdk';
import { type CallOptions, startControl, type TestCaller, type TestControl } from '../../../support/control.ts';
import { onEachStore } from '../../../support/stores.ts';

/** A control plane with a workspace, and what tests of prompts make in it. */
export interface Place {
  readonly control: TestControl;
  readonly workspace: string;
  readonly directory: Directory;
  newWorkspace(): Promise<string>;
  /** Makes a prompt in the workspace. */
  make(body?: JsonObject, workspace?: string): Promise<Made>;
  partial(string?: string, workspace?: string): Promise<Made>;
  prompt(name: string, version?: Json): Promise<JsonObject>;
  /** Makes one more version of the prompt, and gives its id. */
  version(name: string, string: string): Promise<string>;
  publish(path: string, version: number): Promise<JsonObject>;
  /** As requests of a workspace find a prompt. */
  find(name: string, selector?: string, workspace?: string): Promise<DirectoryKinds['prompt'] | undefined>;
  /** The template that requests of a workspace find. */
  findPartial(name: string, selector?: string, workspace?: string): Promise<string | undefined>;
  /** Status and param of what should not go through. */
  refused(method: string, path: string, options?: CallOptions): Promise<readonly [number, Json | undefined]>;
}

export interface Made {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}

export const plugins = ['audit-log', 'tenancy', 'api-keys', 'integrations', 'prompts'];

/** A body that makes a prompt, but for its workspace. */
export const standard = {
  name: 'Gira Summary',
  string: 'Tell {{name}} about giraffes.',
  parameters: { temperature: 0.5 },
  virtual_key: 'main',
  model: 'gpt-a',
};

/** A key of a workspace, with all that keys may do. */
export const inWorkspace = (workspaceId: string, scopes: readonly string[] = [...allScopes]): TestCaller => ({
  workspaceId,
  keyType: 'workspace-service',
  scopes,
});

/** Runs the tests on each kind of store, in one control plane each. */
export function inEachPlace(what: string, work: (place: () => Place) => void): void {
  onEachStore((name, _, fresh) => {
    describe(`${what} on ${name}`, () => {
      let place: Place | undefined;
      const closing: (() => unknown)[] = [];
      before(async () => {
        const control = await startControl(
          { after: (close) => void closing.push(close as () => unknown) },
          { store: await fresh(), plugins },
        );
        place = await placeOf(control);
      });
      after(async () => {
        for (const close of closing) await close();
      });
      work(() => {
        if (place === undefined) throw new Error('The gateway has not started.');
        return place;
      });
    });
  });
}

export async function placeOf(control: TestControl): Promise<Place> {
  const { directory } = control.gateway.control as NonNullable<typeof control.gateway.control>;
  const newWorkspace = async () =>
    String((await control.ok('POST', '/v1/workspaces', { body: { name: `W ${randomUUID()}` } })).id);
  const workspace = await newWorkspace();
  const made = async (path: string, body: JsonObject): Promise<Made> => {
    const { id, slug, version_id } = await control.ok('POST', path, { body });
    return { id: String(id), slug: String(slug), version_id: String(version_id) };
  };
  return {
    control,
    workspace,
    directory,
    newWorkspace,
    make: (body = {}, at = workspace) => made('/v1/prompts', { ...standard, workspace_id: at, ...body }),
    partial: (string = 'Be {{tone}}.', at = workspace) =>
      made('/v1/prompts/partials', { name: 'Tone of voice', string, workspace_id: at }),
    prompt: (name, version = '') =>
      control.ok('GET', `/v1/prompts/${name}${version === '' ? '' : `?version=${version}`}`),
    version: async (name, string) =>
      String((await control.ok('PUT', `/v1/prompts/${name}`, { body: { string, patch: true } })).prompt_version_id),
    publish: (path, version) => control.ok('PUT', `${path}/makeDefault`, { body: { version } }),
    find: async (name, selector = '', at = workspace) =>
      directory.get('prompt', control.organisationId, at, name, selector),
    findPartial: async (name, selector = '', at = workspace) =>
      (await directory.get('promptPartial', control.organisationId, at, name, selector))?.string,
    refused: async (method, path, options) => {
      const { status, json } = await control.call(method, path, options);
      return [status, asObject(json.error)?.param];
    },
  };
}

export function faultOf(entry: DirectoryKinds['prompt'] | undefined): string | undefined {
  return entry !== undefined && 'fault' in entry ? entry.fault : undefined;
}

export const textsOf = (items: readonly JsonObject[], member: string) => items.map((item) => asString(item[member]));
