import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allScopes, asObject, type GuardrailEntry, type Json, type JsonObject } from 'portcullis/sdk';
import { type CallOptions, startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const serviceToken = 'service-token-of-guardrails-0123456789';
const units = fileURLToPath(new URL('./units', import.meta.url));

/** A control plane with a workspace, and what tests of guardrails make in it. */
export interface Place {
  readonly control: TestControl;
  readonly workspace: string;
  readonly serviceToken: string;
  newWorkspace(): Promise<string>;
  /** Makes a guardrail in the workspace; `null`: of the organisation itself. */
  make(body?: JsonObject, workspace?: string | null): Promise<Made>;
  config(config: JsonObject, workspace?: string): Promise<Made>;
  /** Status and param of what should not go through. */
  refused(method: string, path: string, options?: CallOptions): Promise<readonly [number, Json | undefined]>;
  /** As requests of a workspace find it; '' is none. */
  find(workspace: string, name: string): Promise<GuardrailEntry | undefined>;
}

export interface Made {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}

export const contains = (...words: string[]): JsonObject => ({ id: 'test-words.contains', parameters: { words } });

/** Everyone of a workspace, with all that keys may do. */
export const inWorkspace = (workspaceId: string, scopes: readonly string[] = [...allScopes]): TestCaller => ({
  workspaceId,
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
          {
            store: await fresh(),
            settings: { serviceToken },
            config: { pluginFolders: [{ path: units, trust: 'trusted', requireSignature: false }] },
          },
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

async function placeOf(control: TestControl): Promise<Place> {
  const newWorkspace = async () =>
    String((await control.ok('POST', '/v1/workspaces', { body: { name: `W ${randomUUID()}` } })).id);
  const workspace = await newWorkspace();
  return {
    control,
    workspace,
    serviceToken,
    newWorkspace,
    make: async (body = {}, at = workspace) => {
      const standard = { name: 'Patron', checks: [contains('swan')], actions: { deny: true } };
      const place = at === null ? { organisation_id: control.organisationId } : { workspace_id: at };
      return madeOf(await control.ok('POST', '/v1/guardrails', { body: { ...standard, ...place, ...body } }));
    },
    config: async (config, at = workspace) =>
      madeOf(await control.ok('POST', '/v1/configs', { body: { name: 'Cencora', config, workspace_id: at } })),
    refused: async (method, path, options) => {
      const { status, json } = await control.call(method, path, options);
      return [status, asObject(json.error)?.param];
    },
    find: async (at, name) => control.gateway.control?.directory.get('guardrail', control.organisationId, at, name),
  };
}

function madeOf({ id, slug, version_id }: JsonObject): Made {
  return { id: String(id), slug: String(slug), version_id: String(version_id) };
}
