import type { Json, JsonObject } from '../json.ts';
import type { OwnedEntry } from './directory.ts';

/** One version of a saved prompt, as a caller of a workspace asked for it. */
export interface PromptEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly versionId: string;
  /** The template: messages as JSON text, or plain text. */
  readonly string: string;
  /** The variables are filled in before the text is read as JSON. */
  readonly isRawTemplate: boolean;
  readonly type: 'chat' | 'text';
  readonly model?: string;
  /** Slug of a saved provider, looked up in the workspace of the caller. */
  readonly providerSlug?: string;
  readonly parameters: JsonObject;
  readonly tools?: readonly JsonObject[];
  readonly functions?: readonly JsonObject[];
  readonly toolChoice?: Json;
}

/** Why a prompt that the caller may know of cannot be run: it is archived, or has no such version. */
export interface PromptFault extends OwnedEntry {
  /** A sentence that names the reference. */
  readonly fault: string;
}

/** One version of a piece of template that others include. */
export interface PromptPartialEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly version: number;
  readonly string: string;
}
