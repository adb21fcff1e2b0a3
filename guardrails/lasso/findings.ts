import { asObject, asObjects, asString, compact, type JsonObject } from 'portcullis/sdk';

/** What a finding says that wants no more than a warning: to whoever asked, or to the people that Lasso knows. */
const warnings: Readonly<Record<ApiVersion, readonly string[]>> = {
  v2: ['WARN'],
  v3: ['WARN', 'ADMIN_ALERT', 'USER_ALERT'],
};

export const apiVersions = ['v2', 'v3'] as const;
export type ApiVersion = (typeof apiVersions)[number];

export function deputiesOf({ deputies }: JsonObject): readonly string[] {
  return Object.entries(asObject(deputies) ?? {}).flatMap(([name, found]) => (found === true ? [name] : []));
}

/** Every deputy says what it found, and its policy wants no more than a warning. */
export function isWarning(reply: JsonObject, version: ApiVersion): boolean {
  const lists = deputiesOf(reply).map((deputy) => asObjects(asObject(reply.findings)?.[deputy]));
  const found = Object.values(asObject(reply.findings) ?? {}).flatMap((list) => asObjects(list));
  const told = lists.length > 0 && lists.every((list) => list.length > 0);
  return told && found.every(({ action }) => warnings[version].includes(asString(action) ?? ''));
}

/** Without spans and masks: those quote the text. */
export function findingsOf({ findings }: JsonObject): readonly JsonObject[] {
  return Object.entries(asObject(findings) ?? {})
    .flatMap(([deputy, found]) =>
      asObjects(found).map(({ action, severity }) =>
        compact({ deputy, action: asString(action), severity: asString(severity) }),
      ),
    )
    .slice(0, 100);
}
