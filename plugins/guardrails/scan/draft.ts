import { asObject, type Json, type JsonObject } from 'portcullis/sdk';
import type { JsonPath } from './reading.ts';

type Inside = Json[] | { [name: string]: Json };

/** A copy of a body to make changes on: each object and list on the way to a change is copied once, the rest is shared. */
export class Draft {
  readonly #copies = new WeakSet<object>();
  #body: JsonObject;

  constructor(body: JsonObject) {
    this.#body = body;
  }

  get body(): JsonObject {
    return this.#body;
  }

  put(path: JsonPath, value: Json): void {
    const top = this.#copyOf(this.#body);
    this.#body = top as JsonObject;
    let inside = top;
    path.forEach((step, depth) => {
      const member = depth === path.length - 1 ? value : (this.#copyOf(memberOf(inside, step)) as Json);
      if (Array.isArray(inside)) inside[Number(step)] = member;
      // A member may be called __proto__, which an assignment would not make.
      else Object.defineProperty(inside, step, { value: member, enumerable: true, writable: true, configurable: true });
      if (depth < path.length - 1) inside = member as Inside;
    });
  }

  #copyOf(value: Json | undefined): Inside {
    if (typeof value === 'object' && value !== null && this.#copies.has(value)) return value as Inside;
    const copy: Inside = Array.isArray(value) ? [...value] : { ...asObject(value) };
    this.#copies.add(copy);
    return copy;
  }
}

function memberOf(inside: Inside, step: string | number): Json | undefined {
  if (Array.isArray(inside)) return inside[Number(step)];
  return Object.hasOwn(inside, step) ? inside[step] : undefined;
}
