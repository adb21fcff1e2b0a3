import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from 'portcullis/sdk';
import type { GatewayOverrides } from '../../core/gateway.ts';
import { type FakeDirectory, fakeDirectory, recordsOf, type Workspaces } from './directory.ts';
import { type ConfigFragment, startGateway, type TestGateway } from './gateway.ts';

/** A caller as the plugin of `callers/` takes it; the name is what it sends as x-gw-api-key. */
export interface Caller {
  readonly workspace?: string;
  readonly scopes?: readonly string[];
  readonly config?: string;
  readonly allowConfigOverride?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface WorkspaceGateway extends TestGateway {
  readonly directory: FakeDirectory;
}

export interface WorkspaceOptions extends Workspaces {
  readonly callers: Readonly<Record<string, Caller>>;
  readonly fragment?: ConfigFragment;
  readonly overrides?: GatewayOverrides;
  /** Records are loaded at their first use. */
  readonly cold?: boolean;
}

/** A gateway whose callers belong to the organisation org-1. */
export async function workspaceGateway(
  t: Pick<TestContext, 'after'>,
  { callers, fragment = {}, overrides, cold, ...records }: WorkspaceOptions,
): Promise<WorkspaceGateway> {
  const directory = fakeDirectory(recordsOf(records), cold === undefined ? {} : { cold });
  const known = Object.fromEntries(
    Object.entries(callers).map(([name, caller]) => [
      name,
      { organisation: 'org-1', scopes: ['completions.write'], ...caller },
    ]),
  );
  const identify = { plugin: 'test-callers', config: { callers: known } as unknown as JsonObject };
  const path = fileURLToPath(new URL('./callers', import.meta.url));
  const gateway = await startGateway(
    t,
    {
      ...fragment,
      pluginFolders: [{ path, trust: 'trusted', requireSignature: false }, ...(fragment.pluginFolders ?? [])],
      controlPlugins: [],
      phases: { ...fragment.phases, identify: [identify, { plugin: 'static-keys' }] },
    },
    { directory, ...overrides },
  );
  return { ...gateway, directory };
}
