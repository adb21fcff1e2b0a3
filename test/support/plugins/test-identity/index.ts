import { type Access, asObject, parseJson, plugin, schema, type WorkspaceRole } from 'portcullis/sdk';

interface Caller {
  readonly organisationId: string;
  readonly workspaceId?: string;
  readonly scopes: readonly string[];
  readonly userId?: string;
  readonly keyId?: string;
  readonly keyType?: Access['keyType'];
  readonly organisationRole?: Access['organisationRole'];
  readonly workspaceRole?: WorkspaceRole;
}

export default plugin({
  config: schema.Object({}),
  setup: () => ({
    identify: (request) => {
      const text = request.control('test-caller');
      if (text === undefined) return undefined;
      const caller = asObject(parseJson(text)) as unknown as Caller;
      const held = new Set(caller.scopes);
      const none = new Set<string>();
      const access: Access = {
        organisationId: caller.organisationId,
        workspaceId: caller.workspaceId,
        keyId: caller.keyId,
        keyType: caller.keyType,
        sessionId: caller.userId === undefined ? undefined : 'test-session',
        userId: caller.userId,
        organisationRole: caller.organisationRole,
        roleIn: (workspaceId) =>
          caller.workspaceId === undefined || caller.workspaceId === workspaceId ? caller.workspaceRole : undefined,
        scopesIn: (workspaceId) =>
          caller.workspaceId === undefined || caller.workspaceId === workspaceId ? held : none,
      };
      return {
        id: caller.keyId ?? caller.userId ?? 'test',
        kind: caller.userId !== undefined && caller.keyId === undefined ? 'session' : 'key',
        name: 'test',
        access,
      };
    },
  }),
});
