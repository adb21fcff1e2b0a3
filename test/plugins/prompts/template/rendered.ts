import { renderTemplate } from '../../../../plugins/prompts/template/render.ts';
import { parseTemplate, type Template } from '../../../../plugins/prompts/template/template.ts';
import type { Variables } from '../../../../plugins/prompts/template/variables.ts';

/** A template by its text, with partials by theirs. */
export function rendered(text: string, variables: Variables = {}, partials: Readonly<Record<string, string>> = {}) {
  return renderTemplate(parseTemplate(text), variables, templatesOf(partials));
}

export function templatesOf(texts: Readonly<Record<string, string>>): ReadonlyMap<string, Template> {
  return new Map(Object.entries(texts).map(([reference, text]) => [reference, parseTemplate(text)]));
}
