import { asArray, asObject, asObjects, asString, type JsonObject } from 'portcullis/sdk';

/** Something that a policy of a guardrail has acted on. */
export interface Finding {
  readonly policy: string;
  /** Kind of the content, name of the topic or of the pattern; never the text itself. */
  readonly name: string;
  readonly action: string;
  /** The piece of text, where it is sensitive information. */
  readonly match: string | undefined;
}

/** The policies whose findings take texts out instead of refusing them. */
export const sensitive = 'sensitiveInformationPolicy';

/** What a reply says of the reasons for its action; findings that were only detected are left out. */
export function findingsOf(reply: JsonObject): readonly Finding[] {
  return asObjects(reply.assessments).flatMap((assessment) =>
    Object.entries(assessment).flatMap(([policy, lists]) =>
      Object.values(asObject(lists) ?? {})
        .flatMap((list) => asObjects(asArray(list)))
        .flatMap((entry) => findingOf(policy, entry)),
    ),
  );
}

function findingOf(policy: string, entry: JsonObject): Finding[] {
  const action = asString(entry.action);
  if (action === undefined || action === 'NONE') return [];
  const name = asString(entry.name) ?? asString(entry.type) ?? 'word';
  return [{ policy, name, action, match: policy === sensitive ? asString(entry.match) : undefined }];
}
