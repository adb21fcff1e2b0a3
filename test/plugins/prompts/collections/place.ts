import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { asObject, asObjects, type Json, type JsonObject } from 'portcullis/sdk';
import type { Store } from '../../../../core/store/store.ts';
import { type CallOptions, type ControlOptions, startControl, type TestControl } from '../../../support/control.ts';
import { type Fresh, onEachStore } from '../../../support/stores.ts';

/** A control plane with what tests of collections make in it. */
export interface Place {
  readonly control: TestControl;
  /** Fresh for each call. */
  newWorkspace(): Promise<string>;
  make(workspace: string, body?: JsonObject): Promise<Made>;
  list(workspace: string, query?: string): Promise<readonly JsonObject[]>;
  get(idOrSlug: Json | undefined): Promise<JsonObject>;
  /** Id of a prompt that lies in the collection. */
  prompt(workspace: string, collection: string): Promise<string>;
  /** The collection that something is put into. */
  find(workspace: string, collection?: string): Promise<JsonObject>;
  /** Status and param of what should not go through. */
  refused(method: string, path: string, options?: CallOptions): Promise<readonly [number, Json | undefined]>;
}

export interface Made {
  readonly id: string;
  readonly slug: string;
}

const units = fileURLToPath(new URL('./units', import.meta.url));

export const settings: ControlOptions = {
  plugins: ['audit-log', 'tenancy', 'prompts', 'test-collections'],
  config: { pluginFolders: [{ path: units, trust: 'trusted', requireSignature: false }] },
};

/** Runs the tests on each kind of store, in one control plane each. */
export function inEachPlace(what: string, work: (place: () => Place, fresh: Fresh) => void): void {
  onEachStore(
    (name, _, fresh) => {
      describe(`${what} on ${name}`, () => {
        let place: Place | undefined;
        const closing: (() => unknown)[] = [];
        before(async () => {
          const t = { after: (close: unknown) => void closing.push(close as () => unknown) };
          place = placeOf(await startControl(t, { ...settings, store: await fresh() }));
        });
        after(async () => {
          for (const close of closing) await close();
        });
        work(() => {
          if (place === undefined) throw new Error('The gateway has not started.');
          return place;
        }, fresh);
      });
    },
    { file: true, memory: false },
  );
}

export function storeOf({ gateway }: TestControl): Store {
  return (gateway.control as NonNullable<typeof gateway.control>).store;
}

export function placeOf(control: TestControl): Place {
  return {
    control,
    newWorkspace: async () =>
      String((await control.ok('POST', '/v1/workspaces', { body: { name: `W ${randomUUID()}` } })).id),
    make: async (workspace, body = {}) => {
      const made = await control.ok('POST', '/v1/collections', {
        body: { name: 'Giraffes', workspace_id: workspace, ...body },
      });
      return { id: String(made.id), slug: String(made.slug) };
    },
    list: async (workspace, query = '') =>
      asObjects((await control.ok('GET', `/v1/collections?workspace_id=${workspace}${query}`)).data),
    get: (idOrSlug) => control.ok('GET', `/v1/collections/${idOrSlug}`),
    prompt: async (workspace, collection) => {
      const body = { name: 'Summary', string: 'Sum up {{text}}', parameters: {}, virtual_key: 'openai' };
      const made = await control.ok('POST', '/v1/prompts', {
        body: { ...body, collection_id: collection, workspace_id: workspace },
      });
      return String(made.id);
    },
    find: (workspace, collection) =>
      control.ok('POST', '/v1/test-collections', {
        body: { workspace_id: workspace, ...(collection === undefined ? {} : { collection_id: collection }) },
      }),
    refused: async (method, path, options) => {
      const { status, json } = await control.call(method, path, options);
      return [status, asObject(json.error)?.param];
    },
  };
}
