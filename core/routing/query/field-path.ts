import type { Json, JsonObject } from 'portcullis/sdk';
import { clip, configFault } from '../fault.ts';

/** What conditions and sticky fields look at. */
export interface QueryFacts {
  readonly metadata: Readonly<Record<string, string>>;
  /** The client's body before any override; `{}` for multipart. */
  readonly params: JsonObject;
  /** Path of the request, without query. */
  readonly path: string;
}

export interface FieldPath {
  readonly text: string;
  readonly root: 'metadata' | 'params' | 'url';
  readonly segments: readonly (string | number)[];
}

const maxLength = 256;
const accepted = 'a path such as `metadata.user_id`, `params.model`, `params.messages[0].role` or `url.pathname`';

/** @throws GatewayError when the text is no path into metadata, params or url */
export function compileFieldPath(text: string, param: string): FieldPath {
  const fault = () =>
    configFault(param, `\`${clip(text)}\` is not a field that a strategy can read. Give ${accepted}.`);
  const match = /^(metadata|params|url)((?:\.[^.[\]]+|\[\d{1,6}\])+)$/.exec(text.length > maxLength ? '' : text);
  const root = match?.[1];
  if (root !== 'metadata' && root !== 'params' && root !== 'url') throw fault();
  if (root === 'url' && text !== 'url.pathname') throw fault();
  const parts = (match?.[2] ?? '').match(/[^.[\]]+|\[\d+\]/g) ?? [];
  const segments = parts.map((part) => (part.startsWith('[') ? Number(part.slice(1, -1)) : part));
  return { text, root, segments };
}

/** The value at the path, or undefined; only own properties are seen. */
export function readField(path: FieldPath, facts: QueryFacts): Json | undefined {
  switch (path.root) {
    case 'url':
      return facts.path;
    case 'params':
      return descend(facts.params, path.segments);
    case 'metadata': {
      // A metadata key may itself hold dots.
      const literal = path.text.slice('metadata.'.length);
      return Object.hasOwn(facts.metadata, literal) ? facts.metadata[literal] : descend(facts.metadata, path.segments);
    }
  }
}

function descend(from: JsonObject, segments: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = from;
  for (const segment of segments) value = member(value, segment);
  return value;
}

function member(value: Json | undefined, segment: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(String(segment)) ? value[Number(segment)] : undefined;
  return typeof segment === 'string' && Object.hasOwn(value, segment) ? (value as JsonObject)[segment] : undefined;
}
