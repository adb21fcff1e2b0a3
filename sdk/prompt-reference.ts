/** Which prompt, and which version of it. */
export interface PromptReference {
  /** Id or slug. */
  readonly name: string;
  /** '' for the Published version, `latest`, a number, or the name of a label. */
  readonly selector: string;
}

const form = /^([\w-]{1,255})(?:@([\w-]{1,255}))?$/;

/** Reads `pp-name`, `pp-name@latest`, `pp-name@3` and `pp-name@production`; undefined: the text is none of these. */
export function promptReference(text: string): PromptReference | undefined {
  const [, name, selector = ''] = form.exec(text) ?? [];
  return name === undefined ? undefined : { name, selector };
}
