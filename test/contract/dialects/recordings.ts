import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GenerationDialect } from '../../../sdk/dialects/dialect.ts';
import { dialects } from '../../../sdk/dialects/index.ts';
import { asObject, asObjects, asString, type JsonObject, parseJson } from '../../../sdk/json.ts';
import { framesOf, frozen } from './codec.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Recording {
  /** Path in the repository. */
  readonly name: string;
  readonly dialect: GenerationDialect;
}
export interface StreamRecording extends Recording {
  readonly bytes: Uint8Array;
}
export interface JsonRecording extends Recording {
  readonly json: JsonObject;
}

const paths: readonly (readonly [RegExp, GenerationDialect])[] = [
  [/\/chat\/completions$/, dialects.chat],
  [/\/completions$/, dialects.completions],
  [/\/messages$/, dialects.messages],
  [/\/responses$/, dialects.responses],
  [/:(stream)?generateContent(\?.*)?$/i, dialects.gemini],
];

const folders = ['test/core/dialects', 'test/contract/dialects/fixtures', 'test/support/recordings', 'providers'];
const files = folders.flatMap((folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);

/** Every recorded stream in the repository that is framed as SSE. */
export const streams: readonly StreamRecording[] = files
  .filter((file) => /(\.stream\.txt|\/stream[^/]*\.txt)$/.test(file))
  .flatMap((name) => {
    const bytes = readFileSync(`${root}/${name}`);
    const events = asObjects(framesOf(bytes).map((frame) => parseJson(frame.data)));
    const dialect = events.map(dialectOfEvent).find((found) => found !== undefined);
    return dialect === undefined ? [] : [{ name, dialect, bytes }];
  });

/** Every recorded whole answer in the repository. */
export const replies: readonly JsonRecording[] = jsonFiles((json) => dialectOfReply(asObject(json.body) ?? json));

/** Every recorded request in the repository. */
export const requests: readonly JsonRecording[] = jsonFiles((json, name) => dialectOfRequest(json, name));

function jsonFiles(
  dialectOf: (json: JsonObject, name: string) => GenerationDialect | undefined,
): readonly JsonRecording[] {
  return files
    .filter((file) => file.endsWith('.json'))
    .flatMap((name) => {
      const json = asObject(parseJson(readFileSync(`${root}/${name}`, 'utf8')));
      const dialect = json && dialectOf(json, name);
      return dialect === undefined ? [] : [{ name, dialect, json: frozen(asObject(json?.body) ?? json ?? {}) }];
    });
}

function dialectOfEvent(event: JsonObject): GenerationDialect | undefined {
  const type = asString(event.type) ?? '';
  if (type.startsWith('response.')) return dialects.responses;
  if (type.startsWith('message_') || type.startsWith('content_block')) return dialects.messages;
  if (event.candidates !== undefined) return dialects.gemini;
  const [choice] = asObjects(event.choices);
  if (choice === undefined) return undefined;
  return choice.delta === undefined && choice.text !== undefined ? dialects.completions : dialects.chat;
}

function dialectOfReply(json: JsonObject): GenerationDialect | undefined {
  if (json.object === 'response' && Array.isArray(json.output)) return dialects.responses;
  if (json.type === 'message' && Array.isArray(json.content)) return dialects.messages;
  if (Array.isArray(json.candidates)) return dialects.gemini;
  const [choice] = asObjects(json.choices);
  if (choice?.message !== undefined) return dialects.chat;
  return choice?.text === undefined ? undefined : dialects.completions;
}

// Requests are recorded with their path, or in the folder of their dialect.
function dialectOfRequest(json: JsonObject, name: string): GenerationDialect | undefined {
  const body = asObject(json.body) ?? json;
  const path = asString(json.path) ?? asString(json.url);
  const asks = ['messages', 'input', 'contents', 'prompt'].some((field) => body[field] !== undefined);
  if (!asks || body.object !== undefined) return undefined;
  // What a provider is sent may be its own variant of the format.
  if (name.endsWith('.request.json')) return undefined;
  if (path !== undefined) return paths.find(([pattern]) => pattern.test(path))?.[1];
  return generation(/dialects\/([a-z]+)\/fixtures\//.exec(name)?.[1]);
}

function generation(name: string | undefined): GenerationDialect | undefined {
  const dialect = Object.values(dialects).find((known) => known.name === name);
  return dialect?.kind === 'generation' ? dialect : undefined;
}
