import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { asArray, asObject, GatewayError, type Json } from 'portcullis/sdk';
import { contradictions } from './contradictions.ts';
import { fileSchema, type OperatorFile } from './file-schema.ts';
import { coerceText } from './read-text.ts';
import { faultSentence, type Path, pathText, type SchemaFault, schemaFaults } from './schema-faults.ts';
import { validatorOf } from './validator.ts';
import { readTree } from './yaml-tree.ts';

/** One fault of the operator's file. It names keys and variables, never values. */
export interface FileFault {
  /** `server.port`; '' for the file itself. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** What is accepted there. */
  readonly accepted?: string;
  /** The known key that an unknown one resembles. */
  readonly nearest?: string;
  /** All of it as one sentence. */
  readonly message: string;
}

export type ParsedFile = { readonly file: OperatorFile } | { readonly faults: readonly FileFault[] };

/**
 * Reads the operator's file (YAML 1.2) and finds all of its faults. `${NAME}` in strings takes the variable from
 * `lookup`; a string that is one substitution becomes a number or boolean where the schema wants one. Paths of plugin
 * folders become absolute, seen from the file's own folder.
 */
export function parseOperatorFile(
  text: string,
  lookup: (name: string) => string | undefined,
  { path }: { readonly path: string },
): ParsedFile {
  const tree = readTree(text, lookup);
  const failed = new Set(tree.faults.map((fault) => pathText(fault.path)));
  const unread = tree.faults.map((fault) => fileFault(fault, tree.positionAt(fault.offset)));
  if (tree.value === null) return unread.length > 0 ? { faults: unread } : { file: {} };

  const value = coerced(tree.value, tree.substituted);
  const check = validatorOf(fileSchema);
  const wrong = check(value) ? contradictions(value as OperatorFile) : schemaFaults(check.errors, value);
  // Where a value could not be read, what the schema says of its stand-in would mislead.
  const told = wrong.filter((fault) => !failed.has(pathText(fault.path)));
  const faults = [...unread, ...told.map((fault) => fileFault(fault, tree.position(fault.path)))];
  if (faults.length > 0) return { faults: faults.toSorted((a, b) => a.line - b.line || a.column - b.column) };
  return { file: located(value as OperatorFile, dirname(resolve(path))) };
}

/** @throws GatewayError `invalid_config`, a line for each fault, or when the file cannot be read */
export async function readOperatorFile(
  path: string,
  lookup: (name: string) => string | undefined,
): Promise<OperatorFile> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new GatewayError('invalid_config', `${path} cannot be read (${cause.code ?? 'unknown reason'}).`, {
      param: 'PORTCULLIS_CONFIG',
      cause,
    });
  });
  const parsed = parseOperatorFile(text, lookup, { path });
  if ('file' in parsed) return parsed.file;
  const param = parsed.faults.find((fault) => fault.path !== '')?.path;
  const lines = parsed.faults.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  throw new GatewayError('invalid_config', lines.join('\n'), param === undefined ? {} : { param });
}

function fileFault(fault: SchemaFault, position: { readonly line: number; readonly column: number }): FileFault {
  const { path, ...rest } = fault;
  return {
    path: pathText(path),
    ...position,
    reason: rest.reason,
    ...said(rest),
    message: faultSentence(fault, 'The file'),
  };
}

function said({ accepted, nearest }: Omit<SchemaFault, 'path'>) {
  return { ...(accepted === undefined ? {} : { accepted }), ...(nearest === undefined ? {} : { nearest }) };
}

/** A copy in which texts that came whole from variables have the type that the schema wants. */
function coerced(value: Json, paths: readonly Path[]): Json {
  return paths.reduce<Json>((changed, path) => replaced(changed, path, fileSchema), value);
}

function replaced(value: Json, [token, ...rest]: Path, schema: object | undefined): Json {
  if (schema === undefined) return value;
  if (token === undefined) return typeof value === 'string' ? coerceText(schema, value) : value;
  const { properties, additionalProperties, items } = schema as {
    properties?: Readonly<Record<string, object>>;
    additionalProperties?: object | boolean;
    items?: object;
  };
  if (typeof token === 'number')
    return asArray(value).map((item, index) => (index === token ? replaced(item, rest, items) : item));
  const object = asObject(value);
  if (object === undefined) return value;
  const below = properties?.[token] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  return { ...object, [token]: replaced(object[token] ?? null, rest, below) };
}

function located(file: OperatorFile, folder: string): OperatorFile {
  const folders = file.plugins?.folders;
  if (folders === undefined) return file;
  return {
    ...file,
    plugins: { ...file.plugins, folders: folders.map((entry) => ({ ...entry, path: resolve(folder, entry.path) })) },
  };
}
