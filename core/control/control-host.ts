import { randomBytes } from 'node:crypto';
import {
  type Checks,
  type ControlHost,
  type Counters,
  type Directory,
  type FetchReply,
  type FetchRequest,
  GatewayError,
  type InferenceReply,
  type InferenceRequest,
  type LogSinks,
  type LogStore,
  type Manifest,
  type Operation,
  type PluginLog,
  type Principal,
  type ProviderSummary,
  type Scope,
} from 'portcullis/sdk';
import { checkFetch, refusing } from '../loader/host.ts';
import { systemAccess } from '../resources/callers.ts';
import { type OperationParts, type Request, startOperation } from '../resources/operation.ts';
import type { Store } from '../store/store.ts';

/** The mechanisms behind the hosts of the control plane. */
export interface ControlCapabilities {
  readonly log: (plugin: string) => PluginLog;
  readonly now: () => number;
  readonly newId: () => string;
  readonly env: (name: string) => string | undefined;
  readonly publicUrl: string;
  readonly directory: Directory;
  readonly store: Store;
  readonly operations: OperationParts;
  readonly send: (url: URL, request: FetchRequest) => Promise<FetchReply>;
  readonly mails: boolean;
  readonly checkUrl: (url: string, param: string) => Promise<void>;
  readonly providers: () => readonly ProviderSummary[];
  readonly checks: () => Checks;
  readonly counters: Counters;
  readonly logs: LogStore & LogSinks;
  readonly price: ControlHost['price'];
  /** Undefined: this process serves no requests to models. */
  readonly infer: ((request: InferenceRequest, principal: Principal) => Promise<InferenceReply>) | undefined;
  readonly tryProvider: ControlHost['tryProvider'];
  readonly checkConfig: ControlHost['checkConfig'];
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** What one plugin of the control plane reaches; what its manifest does not grant throws `forbidden`. */
export function createControlHost(manifest: Manifest, capabilities: ControlCapabilities): ControlHost {
  const { name, permissions = {} } = manifest;
  const { now, newId, publicUrl, directory, mails, checkUrl, providers, checkConfig } = capabilities;
  return Object.freeze<ControlHost>({
    name,
    log: capabilities.log(name),
    now,
    newId,
    randomText,
    env: (variable) => {
      if (permissions.env?.includes(variable) === true) return capabilities.env(variable);
      throw new GatewayError(
        'forbidden',
        `The plugin ${name} may not do this: its plugin.json does not grant permissions.env: ${variable}.`,
      );
    },
    publicUrl,
    directory,
    transaction: (scope, work) => inTransaction(capabilities, name, scope, work),
    fetch: async (url, given) => {
      const { target, request } = checkFetch(manifest, url, given);
      return capabilities.send(target, request);
    },
    mails,
    checkUrl,
    providers,
    checks: permissions.checks === true ? later(capabilities.checks) : refusing(() => grant(name, false, 'checks')),
    get counters() {
      grant(name, permissions.counters, 'counters');
      return capabilities.counters;
    },
    get logs() {
      grant(name, permissions.logs, 'logs');
      return capabilities.logs;
    },
    price: capabilities.price,
    infer: async (request, { principal }) => {
      grant(name, permissions.models, 'models');
      if (principal !== undefined && capabilities.infer !== undefined) return capabilities.infer(request, principal);
      throw new GatewayError('not_available', 'This process serves no requests to models: send them to a gateway.');
    },
    tryProvider: async (trial) => {
      grant(name, permissions.models, 'models');
      return capabilities.tryProvider(trial);
    },
    checkConfig,
  });
}

function grant(plugin: string, granted: boolean | undefined, permission: string): void {
  if (granted === true) return;
  const text = `The plugin ${plugin} may not do this: its plugin.json does not grant permissions.${permission}.`;
  throw new GatewayError('forbidden', text);
}

/** The checks of what serves when they are asked for: they come with the data plane, which is there later. */
function later(checks: () => Checks): Checks {
  return {
    get summaries() {
      return checks().summaries;
    },
    find: (id) => checks().find(id),
    ready: (id, parameters, param) => checks().ready(id, parameters, param),
    checkCredentials: (unit, credentials, param) => checks().checkCredentials(unit, credentials, param),
  };
}

/** Runs work as the gateway itself. */
export async function inTransaction<T>(
  { store, operations, newId }: Pick<ControlCapabilities, 'store' | 'operations' | 'newId'>,
  plugin: string,
  scope: Scope,
  work: (operation: Operation) => Promise<T>,
): Promise<T> {
  let committed = (): void => {};
  const result = await store.transaction(async (trx) => {
    const running = startOperation(operations, trx, systemRequest(newId(), plugin, scope));
    const value = await work(running.operation);
    await running.settle();
    committed = running.committed;
    return value;
  });
  committed();
  return result;
}

/** A request that nobody sent: of the gateway itself, in one organisation. */
export function systemRequest(id: string, plugin: string, scope: Scope): Request {
  return {
    id,
    plugin,
    access: systemAccess(scope),
    actorId: '',
    principal: undefined,
    scope,
    params: {},
    query: {},
    body: {},
    control: () => undefined,
    header: () => undefined,
    clientIp: '',
  };
}

/** Each character is equally likely: bytes beyond the last whole multiple are thrown away. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += letters[byte % letters.length];
    }
  }
  return text;
}
