import type { PromptSource } from '../body/prompt-body.ts';
import { promptTypeOf } from '../body/prompt-type.ts';
import type { VariableComponents } from '../template/components.ts';
import type { PromptContent } from './content.ts';
import type { VersionRow } from './table.ts';
import type { VersionText } from './versions.ts';

/** A version of a prompt: what was sent, and what its template names. */
export interface PromptVersion extends PromptContent {
  readonly variable_components: VariableComponents;
}

/** As it is stored. */
export function textOfVersion({ string, version_description, ...document }: PromptVersion): VersionText {
  return { string, description: version_description, document };
}

export function promptVersion({ string, description, document }: VersionRow): PromptVersion {
  const rest = JSON.parse(document) as Omit<PromptVersion, 'string' | 'version_description'>;
  return { ...rest, string, version_description: description };
}

/** As it is compiled and run. */
export function sourceOf(content: PromptContent): PromptSource {
  const isRawTemplate = content.is_raw_template === 1;
  return {
    string: content.string,
    isRawTemplate,
    type: promptTypeOf(content.string, content.template_metadata ?? undefined, isRawTemplate),
    model: content.model ?? undefined,
    parameters: content.parameters,
    tools: content.tools ?? undefined,
    functions: content.functions ?? undefined,
    toolChoice: content.tool_choice ?? undefined,
  };
}
