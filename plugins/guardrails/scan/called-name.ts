import type { Json } from 'portcullis/sdk';
import type { Gathering, JsonPath, Speaker } from './reading.ts';

/** What tools of any provider and of MCP may be called. */
const identifier = /^[\w.:/-]{0,128}$/;

/** What members, words of lists, ids and references inside schemas are called. */
const keyword = /^[\w.:/$#~-]{0,128}$/;

/** Whether what stands in the place of a name is no name of any tool: then it is a text like others, to be read and to be changed. */
export function saysMore(name: string): boolean {
  return !identifier.test(name);
}

/** What stands in the place of a name. Names themselves are no texts: they are not counted, and nothing is changed in them. */
export function readName(found: Gathering, value: Json | undefined, path: JsonPath, speaker: Speaker): void {
  if (typeof value === 'string' && saysMore(value))
    found.text(path, value, speaker.role, speaker.kind, speaker.message);
}

/** The key of a member, where it says more than a name does: whoever reads the object reads it too. @param path of the object */
export function readKey(found: Gathering, key: string, path: JsonPath, speaker: Speaker): void {
  if (!keyword.test(key)) found.fixed([...path, key], key, speaker);
}

/** What a setting holds: no word of a list, and no id. */
export function readSetting(found: Gathering, value: string, path: JsonPath, speaker: Speaker): void {
  if (!keyword.test(value)) found.fixed([...path], value, speaker);
}
