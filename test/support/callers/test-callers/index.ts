import { type Access, type Principal, plugin, schema } from 'portcullis/sdk';

const caller = schema.Object({
  organisation: schema.String(),
  workspace: schema.Optional(schema.String()),
  scopes: schema.Array(schema.String()),
  config: schema.Optional(schema.String()),
  allowConfigOverride: schema.Optional(schema.Boolean()),
  metadata: schema.Optional(schema.Record(schema.String(), schema.String())),
});

/** `x-gw-api-key: <name>` is the caller of that name; other requests are none of its business. */
export default plugin({
  config: schema.Object({ callers: schema.Record(schema.String(), caller) }),
  setup: ({ callers }) => ({
    identify: (request) => {
      const name = request.control('api-key');
      const found = name === undefined || !Object.hasOwn(callers, name) ? undefined : callers[name];
      if (name === undefined || found === undefined) return undefined;
      const { organisation, workspace, scopes, ...rest } = found;
      const access: Access = {
        organisationId: organisation,
        workspaceId: workspace,
        keyId: `key-${name}`,
        keyType: workspace === undefined ? 'organisation-service' : 'workspace-service',
        sessionId: undefined,
        userId: undefined,
        organisationRole: undefined,
        roleIn: () => undefined,
        scopesIn: (id) => (id === workspace ? new Set(scopes) : new Set()),
      };
      return { id: `key:${name}`, kind: 'key', access, ...rest } as Principal;
    },
  }),
});
