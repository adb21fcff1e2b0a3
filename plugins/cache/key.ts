import { hash } from 'node:crypto';
import type { JsonObject, TargetContext } from 'portcullis/sdk';
import { canonical } from './canonical.ts';

/** Another number makes all that is stored unknown. */
const formatVersion = '1';

/**
 * Whose reply it is, and of what: everything that two requests must share to be given the same reply, but for the body.
 * Callers meet within their workspace, those of the operator's file and anonymous ones only themselves. A namespace takes
 * the place of the metadata, and is one of the key, person or session that names it: equal names of two keys are two
 * namespaces.
 *
 * @param identity of the target
 */
export function scopeOf({ request, strict }: TargetContext, identity: string): readonly string[] {
  const { access } = request.principal;
  const namespace = namespaceOf(request.control('cache-namespace'));
  return [
    formatVersion,
    ...(access === undefined
      ? ['principal', request.principal.id, '']
      : ['organisation', access.organisationId, access.workspaceId ?? '']),
    ...(namespace === undefined
      ? ['metadata', canonical(request.metadata), '']
      : ['namespace', access?.keyId ?? access?.userId ?? request.principal.id, namespace]),
    request.endpoint,
    request.method,
    request.path,
    request.query,
    canonical(request.params),
    request.dialect ?? '',
    String(strict),
    // Betas choose the endpoint of the provider; what else is set by headers is in the identity.
    request.control('beta') ?? '',
    identity,
  ];
}

function namespaceOf(given: string | undefined): string | undefined {
  return given === '' ? undefined : given;
}

/** SHA-256 of a scope and a body, 64 hex digits. Each part is written with its length, so that none can run into the next. */
export function keyOf(kind: 'reply' | 'meaning', scope: readonly string[], body: JsonObject): string {
  let text = '';
  for (const part of [kind, ...scope, canonical(body)]) text += `${part.length}:${part}`;
  return hash('sha256', text, 'hex');
}
