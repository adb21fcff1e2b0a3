import { parseArgs } from 'node:util';
import { GatewayError } from 'portcullis/sdk';

export interface Arguments {
  /** The words behind the command. */
  readonly words: readonly string[];
  readonly config: string | undefined;
  readonly request: string | undefined;
  /** `--status`, `--unlock`, `--now`: those that are given. */
  readonly flags: ReadonlySet<string>;
}

export interface Console {
  print(text: string): void;
  complain(text: string): void;
}

type Command = (args: Arguments, out: Console) => Promise<number>;

/** Each is loaded when it is called: a start has no use for the others. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).start,
  check: async () => (await import('./check.ts')).check,
  explain: async () => (await import('./explain.ts')).explain,
  keys: async () => (await import('./keys.ts')).keys,
  migrate: async () => (await import('./migrate.ts')).migrate,
  encryption: async () => (await import('./encryption.ts')).encryption,
};

const flagNames = ['status', 'unlock', 'now'] as const;

const usage = `portcullis [start] [--config FILE]          serve; FILE defaults to PORTCULLIS_CONFIG, then ./portcullis.yaml if there is one
portcullis check [--config FILE]            validate the operator's file and say what would run
portcullis explain --request FILE           say what would happen to a request, without sending it
portcullis keys new NAME | hash | admin     make an API key, hash one from standard input, or make another admin key
portcullis migrate [--status | --unlock | forget PLUGIN]    bring the database's schema up to date; say what it lacks; free a crashed process's lock
portcullis encryption rotate-key            encrypt the data keys with PORTCULLIS_ENCRYPTION_KEY in place of ..._PREVIOUS, or with a new key file
portcullis encryption rotate-data [--now]   seal all stored secrets with a new data key; --now: no gateway is running
portcullis plugin new | test | pack | keygen | sign | verify | install    make, try, publish and install plugins; alone, it says how
portcullis prompts export | import FOLDER   prompts of a running gateway as files, and back; alone, it says how
`;

const terminal: Console = {
  print: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
};

/** Runs one command line and gives the exit code. `start` returns when the gateway has stopped. */
export async function runCommand(argv: readonly string[], out: Console = terminal): Promise<number> {
  try {
    // Their actions have options of their own.
    if (argv[0] === 'plugin') return await (await import('./plugin.ts')).plugin(argv.slice(1), out);
    if (argv[0] === 'prompts') return await (await import('./prompts.ts')).prompts(argv.slice(1), out);
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        request: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        status: { type: 'boolean' },
        unlock: { type: 'boolean' },
        now: { type: 'boolean' },
      },
    });
    const flags = new Set<string>(flagNames.filter((flag) => values[flag] === true));
    const [name = 'start', ...words] = positionals;
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (values.help === true) {
      out.print(usage);
      return 0;
    }
    if (load === undefined) {
      out.complain(`There is no command "${name}".\n\n${usage}`);
      return 2;
    }
    const command = await load();
    return await command({ words, config: values.config, request: values.request, flags }, out);
  } catch (error) {
    if (!GatewayError.is(error) && !isUsageError(error)) throw error;
    out.complain((error as Error).message);
    return 2;
  }
}

function isUsageError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
