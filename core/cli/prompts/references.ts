import type { Json } from 'portcullis/sdk';
import type { Content } from './content.ts';

/** `{{>pp-greet}}`, `{{> pp-greet@5}}`; not `{{>>variable}}`, whose value names the partial. */
const tag = /(\{\{\s*>\s*)([a-z0-9][a-z0-9-]*)(?=@[a-z0-9]+\s*\}\}|\s*\}\})/g;

/** The partials that the template names, each once. */
export function partialsIn(content: Content): readonly string[] {
  const named = new Set<string>();
  eachText(content.template ?? '', (text) => {
    for (const [, , name = ''] of text.matchAll(tag)) named.add(name);
    return text;
  });
  return [...named];
}

/** The content with other names for partials; those that `names` does not know stay. */
export function withPartialsNamed(content: Content, names: ReadonlyMap<string, string>): Content {
  const { template = '' } = content;
  const renamed = eachText(template, (text) =>
    text.replace(tag, (_, open: string, name: string) => open + (names.get(name) ?? name)),
  );
  return { ...content, template: renamed };
}

function eachText(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => eachText(item, change));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, eachText(member, change)]));
}
