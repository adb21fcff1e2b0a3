import { parseArgs } from 'node:util';
import { GatewayError } from 'portcullis/sdk';
import { environmentTable, readEnvironment } from '../config/env.ts';
import type { Console } from './command.ts';
import { type Api, apiOf } from './prompts/api.ts';
import { exportPrompts } from './prompts/export.ts';
import { importPrompts } from './prompts/import.ts';
import { visible } from './visible.ts';

const options = {
  url: { type: 'string' },
  'key-env': { type: 'string' },
  workspace: { type: 'string' },
  timeout: { type: 'string' },
  publish: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  check: { type: 'boolean' },
} as const;

interface PromptsOptions {
  readonly url?: string;
  readonly 'key-env'?: string;
  readonly workspace?: string;
  readonly timeout?: string;
  readonly publish?: boolean;
  readonly 'dry-run'?: boolean;
  readonly check?: boolean;
}

interface Action {
  readonly usage: string;
  readonly takes: readonly (keyof PromptsOptions)[];
  run(folder: string, api: Api, options: PromptsOptions, out: Console): Promise<number>;
}

const connecting = ['url', 'key-env', 'workspace', 'timeout'] as const;

const actions: Readonly<Record<string, Action>> = {
  export: {
    usage: 'export FOLDER',
    takes: connecting,
    run: (folder, api, _, out) => exportPrompts(folder, api, out),
  },
  import: {
    usage: 'import FOLDER [--publish] [--dry-run [--check]]',
    takes: [...connecting, 'publish', 'dry-run', 'check'],
    run: (folder, api, given, out) => {
      const { publish = false, 'dry-run': dryRun = false, check = false } = given;
      if (check && !dryRun)
        throw new GatewayError('bad_request', '--check is for --dry-run alone.', { param: 'check' });
      return importPrompts(folder, api, { publish, dryRun, check }, out);
    },
  },
};

const usage = `Use: portcullis prompts export FOLDER
     portcullis prompts import FOLDER [--publish] [--dry-run [--check]]

Prompts and partials of a workspace as files, FOLDER/prompts/SLUG.yaml and FOLDER/partials/SLUG.yaml: the latest version
of each. A file stands for what has its name as slug or else, on another gateway, for what has its name and collection.
Import makes what is missing, makes one new version of what differs, and deletes nothing. A new prompt is published at
once, a new version with --publish. --dry-run says what would change; with --check the exit code is then 1.

  --url URL         where the gateway stands; default http://127.0.0.1 and PORT
  --key-env NAME    the environment variable with the API key; default PORTCULLIS_API_KEY
  --workspace ID    id or slug, for keys of an organisation
  --timeout MS      of one request; default 30000`;

const standardTimeoutMs = 30_000;
const longestTimeoutMs = 3_600_000;

/** Reads prompts into files and back. @param argv the words behind `portcullis prompts` */
export async function prompts(argv: readonly string[], terminal: Console): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options });
  const [name = '', folder = '', extra] = positionals;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const stray = (Object.keys(values) as (keyof PromptsOptions)[]).some((option) => !action?.takes.includes(option));
  if (action === undefined || stray || folder === '' || extra !== undefined)
    throw new GatewayError('bad_request', usage);
  // Names and texts come from a server.
  const out: Console = {
    print: (text) => terminal.print(visible(text)),
    complain: (text) => terminal.complain(visible(text)),
  };
  try {
    return await action.run(folder, apiWith(values), values, out);
  } catch (error) {
    throw GatewayError.is(error) ? new GatewayError(error.code, visible(error.message), { cause: error }) : error;
  }
}

function apiWith({ url, 'key-env': keyName = 'PORTCULLIS_API_KEY', workspace, timeout }: PromptsOptions): Api {
  const { lookup, PORT = environmentTable.PORT.default } = readEnvironment();
  const key = lookup(keyName)?.trim() ?? '';
  if (key === '') {
    const text = `The environment variable ${keyName} must hold an API key of the gateway; --key-env names another variable.`;
    throw new GatewayError('bad_request', text, { param: 'key-env' });
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new GatewayError('bad_request', `${keyName} holds characters that no API key has.`, { param: 'key-env' });
  return apiOf({
    url: urlOf(url ?? `http://127.0.0.1:${PORT}`),
    key,
    workspace,
    timeoutMs: timeout === undefined ? standardTimeoutMs : millisecondsOf(timeout),
  });
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  const plain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (plain && /^https?:$/.test(url.protocol)) return url;
  const expected = '--url must be an http or https URL without user, query and fragment.';
  throw new GatewayError('bad_request', expected, { param: 'url' });
}

function millisecondsOf(text: string): number {
  const milliseconds = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (milliseconds >= 1 && milliseconds <= longestTimeoutMs) return milliseconds;
  const expected = `--timeout must be a number of milliseconds from 1 to ${longestTimeoutMs}.`;
  throw new GatewayError('bad_request', expected, { param: 'timeout' });
}
