import type { Json, JsonArray, JsonObject } from 'portcullis/sdk';
import type { Rendering } from '../template/render.ts';
import { parseTemplate, type Template } from '../template/template.ts';

/** Gives a value with its texts filled in. */
export type Fill = (rendering: Rendering) => Json;

/**
 * Makes every text of a value a template of its own, so that what is filled in needs no escaping. Undefined where
 * there is nothing to fill in: that part of the value is used as it is, and never copied.
 * @param found takes the templates in the order of the texts
 */
export function fillOf(value: Json, found: Template[]): Fill | undefined {
  if (typeof value === 'string') return ofText(value, found);
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? ofList(value as JsonArray, found) : ofObject(value as JsonObject, found);
}

function ofText(text: string, found: Template[]): Fill | undefined {
  const template = parseTemplate(text);
  if (template.tags === 0) return undefined;
  found.push(template);
  return (rendering) => rendering.render(template);
}

function ofList(list: JsonArray, found: Template[]): Fill | undefined {
  const fills = list.map((item) => fillOf(item, found));
  if (fills.every((fill) => fill === undefined)) return undefined;
  return (rendering) => list.map((item, index) => fills[index]?.(rendering) ?? item);
}

function ofObject(object: JsonObject, found: Template[]): Fill | undefined {
  const fills: [string, Fill][] = [];
  for (const [name, member] of Object.entries(object)) {
    // To assign it would change what the copy is, so it stays as it was written.
    const fill = name === '__proto__' ? undefined : fillOf(member, found);
    if (fill !== undefined) fills.push([name, fill]);
  }
  if (fills.length === 0) return undefined;
  return (rendering) => {
    const copy: { [name: string]: Json } = { ...object };
    for (const [name, fill] of fills) copy[name] = fill(rendering);
    return copy;
  };
}
