import { isDeepStrictEqual } from 'node:util';
import { asObjects, asString, compact, GatewayError, type JsonObject } from 'portcullis/sdk';
import type { Console } from '../command.ts';
import type { Api } from './api.ts';
import { type CollectionPath, collectionMaker } from './collections.ts';
import { creationOf, memberNamed, versionChanges, versionOf } from './content.ts';
import { faultAt, type PromptFile, pathOf } from './file-form.ts';
import { collectionOf } from './match.ts';
import { isChanged, type Plan, type Step } from './plan.ts';
import { type GatewayRecord, latestVersion, pathOfKind, pathOfRecord } from './records.ts';
import { withPartialsNamed } from './references.ts';

/** Does what a plan says, file by file; stops at the first that the gateway refuses. Doing it again goes on from there. */
export async function apply(api: Api, { collections, steps, slugs: known }: Plan, out: Console): Promise<void> {
  const slugs = new Map(known);
  const collectionId = collectionMaker(api, collections, (path) => {
    out.print(`collection ${path.join(' / ')}: made.`);
  });

  async function make({ file, wanted }: Step): Promise<void> {
    const reply = await api.create(pathOfKind(file.kind), {
      ...creationOf(file.kind, withPartialsNamed(wanted, slugs)),
      ...(await placeMember(collectionOf(wanted))),
    });
    if (file.kind === 'partials') slugs.set(file.slug, String(reply.slug));
    out.print(`${pathOf(file)}: made as ${reply.slug}.`);
    warn(file, reply);
  }

  async function change({ file, wanted, latest }: Step, record: GatewayRecord): Promise<void> {
    const before = latest?.content ?? {};
    const differs = (member: string) => !isDeepStrictEqual(before[member], wanted[member]);
    const version = versionChanges(file.kind, before, wanted);
    const whole = { patch: true, ...versionOf(file.kind, withPartialsNamed(wanted, slugs)) };
    const reply = await api.update(pathOfRecord(record), {
      ...(version.length === 0 ? {} : whole),
      ...(differs('name') ? { name: wanted.name ?? '' } : {}),
      ...(differs('collection') ? await placeMember(collectionOf(wanted)) : {}),
    });
    const members = [...['name', 'collection'].filter(differs), ...version].join(', ');
    out.print(`${pathOf(file)}: ${version.length === 0 ? 'changed' : 'a new version'} (${members}).`);
    warn(file, reply);
  }

  async function publish({ file, wanted }: Step, record: GatewayRecord): Promise<void> {
    const latest = await latestVersion(api, record, collections);
    if (versionChanges(file.kind, latest.content, withPartialsNamed(wanted, slugs)).length > 0)
      throw new GatewayError('conflict', `${record.slug} is being changed by somebody else. Import again.`);
    await api.update(`${pathOfRecord(record)}/makeDefault`, { version: latest.number });
    out.print(`${pathOf(file)}: version ${latest.number} is published.`);
  }

  function warn(file: PromptFile, reply: JsonObject): void {
    for (const { param, message } of asObjects(reply.warnings)) {
      const place = file.placeOf([memberNamed(file.kind, asString(param) ?? '')]);
      out.complain(faultAt(pathOf(file), place, String(message).replace(/\s+/g, ' ')));
    }
  }

  async function placeMember(path: CollectionPath): Promise<JsonObject> {
    return compact({ collection_id: await collectionId(path) });
  }

  for (const step of steps) {
    try {
      if (step.record === undefined) await make(step);
      else {
        if (isChanged(step)) await change(step, step.record);
        if (step.publishes) await publish(step, step.record);
      }
    } catch (cause) {
      if (!GatewayError.is(cause)) throw cause;
      throw new GatewayError(cause.code, `${pathOf(step.file)}: ${cause.message}`, { cause });
    }
  }
}
