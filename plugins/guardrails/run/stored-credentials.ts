import type { Host, JsonObject, MaybePromise, RequestContext } from 'portcullis/sdk';

/** What is stored for the vendor of a unit: by the caller's organisation, or in the operator's file. */
export function credentialsOf(host: Host) {
  return (request: RequestContext, unit: string): MaybePromise<JsonObject | undefined> => {
    const { access } = request.principal;
    if (access === undefined) return host.file('guardrailCredentials')[unit];
    const entry = host.directory('checkCredentials', access.organisationId, unit);
    return entry instanceof Promise ? entry.then((found) => found?.credentials) : entry?.credentials;
  };
}
