import { parseArgs } from 'node:util';
import { GatewayError } from 'portcullis/sdk';
import type { Console } from './command.ts';
import { install } from './plugin-install.ts';
import { keygen } from './plugin-keygen.ts';
import { create } from './plugin-new.ts';
import { pack } from './plugin-pack.ts';
import { sign } from './plugin-sign.ts';
import { test } from './plugin-test.ts';
import { verify } from './plugin-verify.ts';
import { visible } from './visible.ts';

/** The options of all actions, as `parseArgs` takes them. */
const options = {
  name: { type: 'string' },
  out: { type: 'string' },
  into: { type: 'string' },
  config: { type: 'string' },
  key: { type: 'string', multiple: true },
  sandbox: { type: 'boolean' },
  json: { type: 'boolean' },
  unsigned: { type: 'boolean' },
  yes: { type: 'boolean' },
  'accept-permissions': { type: 'boolean' },
  'allow-downgrade': { type: 'boolean' },
} as const;

export interface PluginOptions {
  readonly name?: string;
  readonly out?: string;
  readonly into?: string;
  readonly config?: string;
  readonly key?: readonly string[];
  readonly sandbox?: boolean;
  readonly json?: boolean;
  readonly unsigned?: boolean;
  readonly yes?: boolean;
  readonly 'accept-permissions'?: boolean;
  readonly 'allow-downgrade'?: boolean;
}

interface Action {
  readonly usage: string;
  /** Whether it works on a folder or file. */
  readonly takesPath: boolean;
  readonly takes: readonly (keyof PluginOptions)[];
  readonly needs: readonly (keyof PluginOptions)[];
  /** @param path '' where it takes none. Gives the exit code. */
  run(path: string, options: PluginOptions, out: Console): Promise<number>;
}

const actions: Readonly<Record<string, Action>> = {
  new: { usage: 'new FOLDER [--name NAME]', takesPath: true, takes: ['name'], needs: [], run: create },
  test: {
    usage: 'test FOLDER [--sandbox] [--json]',
    takesPath: true,
    takes: ['sandbox', 'json'],
    needs: [],
    run: test,
  },
  pack: { usage: 'pack FOLDER [--out FILE.tgz]', takesPath: true, takes: ['out'], needs: [], run: pack },
  keygen: { usage: 'keygen --out KEY.json', takesPath: false, takes: ['out'], needs: ['out'], run: keygen },
  sign: { usage: 'sign FOLDER --key KEY.json', takesPath: true, takes: ['key'], needs: ['key'], run: sign },
  verify: {
    usage: 'verify FOLDER|FILE.tgz --key PUBLIC.json [--key ...]',
    takesPath: true,
    takes: ['key'],
    needs: ['key'],
    run: verify,
  },
  install: {
    usage:
      'install FOLDER|FILE.tgz --into FOLDER [--key PUBLIC.json ...] [--config FILE] [--unsigned] [--accept-permissions | --yes] [--allow-downgrade]',
    takesPath: true,
    takes: ['into', 'key', 'config', 'unsigned', 'yes', 'accept-permissions', 'allow-downgrade'],
    needs: ['into'],
    run: install,
  },
};

/** Makes, tries, packs, signs, verifies and installs plugins. @param argv the words behind `portcullis plugin` */
export async function plugin(argv: readonly string[], out: Console): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options });
  const [name = '', path = '', extra] = positionals;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw usageError(Object.values(actions));
  const given = Object.keys(values) as (keyof PluginOptions)[];
  const stray = given.some((option) => !action.takes.includes(option));
  const lacking = action.needs.some((option) => !given.includes(option));
  const words = action.takesPath ? path !== '' && extra === undefined : path === '';
  if (stray || lacking || !words) throw usageError([action]);
  // What packages say of themselves must not steer the terminal: escape sequences could hide a permission.
  try {
    return await action.run(path, values, {
      print: (text) => out.print(visible(text)),
      complain: (text) => out.complain(visible(text)),
    });
  } catch (error) {
    throw GatewayError.is(error) ? new GatewayError(error.code, visible(error.message), { cause: error }) : error;
  }
}

function usageError(known: readonly Action[]): GatewayError {
  return new GatewayError(
    'bad_request',
    `Use: ${known.map(({ usage }) => `portcullis plugin ${usage}`).join('\n     ')}`,
  );
}
