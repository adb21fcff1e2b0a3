import type { Json } from 'portcullis/sdk';
import type { Gathering, JsonPath, Speaker } from './reading.ts';

/** What tools of any provider and of MCP may be called. */
const identifier = /^[\w.:/-]{0,128}$/;

/** Whether what stands in the place of a name is no name of any tool: then it is a text like others, to be read and to be changed. */
export function saysMore(name: string): boolean {
  return !identifier.test(name);
}

/** What stands in the place of a name. Names themselves are no texts: they are not counted, and nothing is changed in them. */
export function readName(found: Gathering, value: Json | undefined, path: JsonPath, speaker: Speaker): void {
  if (typeof value === 'string' && saysMore(value))
    found.text(path, value, speaker.role, speaker.kind, speaker.message);
}
