import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { asObject, asObjects, type Json, type JsonObject } from 'portcullis/sdk';
import type { Store } from '../../../../core/store/store.ts';
import { type CallOptions, startControl, type TestControl } from '../../../support/control.ts';
import { onEachStore } from '../../../support/stores.ts';

/** A control plane with what tests of labels make in it. */
export interface Place {
  readonly control: TestControl;
  readonly store: Store;
  /** Fresh for each call. */
  newWorkspace(): Promise<string>;
  /** Id of a new label of the workspace; `null`: of the organisation itself. */
  make(workspace: string | null, name?: string): Promise<string>;
  /** What the workspace sees. */
  list(workspace: string, query?: string): Promise<readonly JsonObject[]>;
  /** Points the label at a version of the prompt; null takes all labels off the version. */
  assign(prompt: Prompt, version: number, label: string | null): Promise<void>;
  /** The labels of the prompt, as `name version`. */
  assigned(prompt: Prompt): Promise<readonly string[]>;
  /** The version that the name stands for. */
  versionOf(prompt: Prompt, name: string): Promise<Json | undefined>;
  /** Status and param of what should not go through. */
  refused(method: string, path: string, options?: CallOptions): Promise<readonly [number, Json | undefined]>;
}

export interface Prompt {
  readonly workspace: string;
  readonly id: string;
}

export const newPrompt = (workspace: string): Prompt => ({ workspace, id: randomUUID() });

export const newName = (): string => `label-${randomUUID()}`;

/** Where the test unit takes assignments of the prompt. */
export const pathOf = ({ workspace, id }: Prompt): string => `/v1/test-labels/${id}?workspace_id=${workspace}`;

const units = fileURLToPath(new URL('./units', import.meta.url));

/** Runs the tests on each kind of store, in one control plane each. */
export function inEachPlace(what: string, work: (place: () => Place) => void): void {
  onEachStore((name, _, fresh) => {
    describe(`${what} on ${name}`, () => {
      let place: Place | undefined;
      const closing: (() => unknown)[] = [];
      before(async () => {
        const control = await startControl(
          { after: (close) => void closing.push(close as () => unknown) },
          {
            store: await fresh(),
            plugins: ['audit-log', 'tenancy', 'prompts', 'test-labels'],
            config: { pluginFolders: [{ path: units, trust: 'trusted', requireSignature: false }] },
          },
        );
        place = placeOf(control);
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

function placeOf(control: TestControl): Place {
  const { gateway } = control;
  return {
    control,
    store: (gateway.control as NonNullable<typeof gateway.control>).store,
    newWorkspace: async () =>
      String((await control.ok('POST', '/v1/workspaces', { body: { name: `W ${randomUUID()}` } })).id),
    make: async (workspace, name = newName()) => {
      const at = workspace === null ? { organisation_id: control.organisationId } : { workspace_id: workspace };
      return String((await control.ok('POST', '/v1/labels', { body: { name, ...at } })).id);
    },
    list: async (workspace, query = '') =>
      asObjects((await control.ok('GET', `/v1/labels?workspace_id=${workspace}${query}`)).data),
    assign: async (prompt, version, label) => {
      await control.ok('PUT', pathOf(prompt), { body: { version, label_id: label, workspace_id: prompt.workspace } });
    },
    assigned: async (prompt) =>
      asObjects((await control.ok('GET', pathOf(prompt))).labels).map(
        ({ name, versionNumber }) => `${name} ${versionNumber}`,
      ),
    versionOf: async (prompt, name) => (await control.ok('GET', `${pathOf(prompt)}&name=${name}`)).version,
    refused: async (method, path, options) => {
      const { status, json } = await control.call(method, path, options);
      return [status, asObject(json.error)?.param];
    },
  };
}
