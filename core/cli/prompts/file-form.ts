import { asObject, type JsonObject } from 'portcullis/sdk';
import { faultSentence, type Path, type SchemaFault, schemaFaults } from '../../config/schema-faults.ts';
import { lateValidator, validatorOf } from '../../config/validator.ts';
import { type Content, contentOf, type Kind, kinds } from './content.ts';
import { fileSchemas } from './file-schema.ts';
import { type Place, readYaml, writeYaml } from './yaml-text.ts';

export interface PromptFile {
  readonly kind: Kind;
  /** The file's name without its ending: the slug in templates of the folder, and on the gateway that it came from. */
  readonly slug: string;
  readonly content: Content;
  placeOf(path: Path): Place;
}

const checks = new Map(kinds.map((kind) => [kind, lateValidator(() => validatorOf(fileSchemas[kind]))]));

/** `prompts/pp-welcome-1a2b3c.yaml`. */
export function pathOf({ kind, slug }: Pick<PromptFile, 'kind' | 'slug'>): string {
  return `${kind}/${slug}.yaml`;
}

/** A fault as it is said: the file, the line, the field. */
export function faultAt(file: string, { line, column }: Place, sentence: string): string {
  return `${file}:${line}:${column}: ${sentence}`;
}

/** Reads one file, or says all that is wrong with it. */
export function readFile(kind: Kind, slug: string, text: string): PromptFile | { readonly faults: readonly string[] } {
  const file = pathOf({ kind, slug });
  const { value, faults: unread, placeOf } = readYaml(text);
  if (unread.length > 0)
    return { faults: unread.map(({ place, reason }) => faultAt(file, place, `The file ${reason}.`)) };
  const check = checks.get(kind);
  const wrong = check?.(value) === true ? contradictions(asObject(value) ?? {}) : schemaFaults(check?.errors, value);
  if (wrong.length > 0)
    return { faults: wrong.map((fault) => faultAt(file, placeOf(fault.path), faultSentence(fault, 'The file'))) };
  return { kind, slug, content: contentOf(kind, asObject(value) ?? {}), placeOf };
}

function contradictions({ template, is_raw_template, template_metadata }: JsonObject): readonly SchemaFault[] {
  if (typeof template === 'string') return [];
  const fault = (why: string): SchemaFault => ({ path: ['template'], reason: `must be a text where ${why}` });
  if (is_raw_template === true) return [fault('is_raw_template is true: it is no list before it is filled in')];
  return asObject(template_metadata)?.template_type === 'text'
    ? [fault('template_metadata.template_type is text')]
    : [];
}

/** The file's text: the same for the same content. */
export function fileText(content: Content): string {
  return writeYaml(content, ['template']);
}
