import { type JsonObject, plugin, schema } from 'portcullis/sdk';
import { dropPaths } from './drop.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: () => ({
    prepare: ({ body, defaultParams, overrideParams, dropParams }) => {
      if (defaultParams === undefined && overrideParams === undefined && dropParams === undefined) return undefined;
      const merged = withOverrides(withDefaults(body, defaultParams), overrideParams);
      return dropParams === undefined ? merged : dropPaths(merged, dropParams);
    },
  }),
});

// Both give the very body where they change nothing: only then can its original bytes be forwarded.

/** A field that the client set to null is set: defaults are for what it left out. */
function withDefaults(body: JsonObject, defaults: JsonObject = {}): JsonObject {
  return Object.keys(defaults).every((name) => Object.hasOwn(body, name)) ? body : { ...defaults, ...body };
}

function withOverrides(body: JsonObject, overrides: JsonObject = {}): JsonObject {
  return Object.entries(overrides).every(([name, value]) => body[name] === value) ? body : { ...body, ...overrides };
}
