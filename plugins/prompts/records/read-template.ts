import { GatewayError, type Operation, type Scope } from 'portcullis/sdk';
import { withoutVariables } from '../body/parameters.ts';
import { compilePrompt } from '../body/prompt-body.ts';
import { findInReach } from '../sharing/reach.ts';
import { type VariableComponents, variableNames } from '../template/components.ts';
import { type PartialReference, readPartialReference } from '../template/references.ts';
import { parseTemplate } from '../template/template.ts';
import type { PromptContent } from './content.ts';
import { type PromptVersion, sourceOf } from './prompt-version.ts';
import type { PartialRecord } from './table.ts';

/**
 * A content with what its template names, once all of that is there.
 * @param before of the version that clients may have read: its variables are no parameters either
 * @throws GatewayError `bad_request`, param `string`
 */
export async function readPrompt(
  operation: Operation,
  scope: Scope,
  content: PromptContent,
  before?: VariableComponents,
): Promise<PromptVersion> {
  const { components } = compilePrompt(sourceOf(content));
  await demandPartials(operation, scope, components.partials);
  const variables = new Set([...variableNames(components), ...(before === undefined ? [] : variableNames(before))]);
  const parameters = withoutVariables(content.parameters, variables);
  return { ...content, parameters, variable_components: components };
}

/** The same for a partial. */
export async function readPartial(operation: Operation, scope: Scope, string: string): Promise<VariableComponents> {
  const { components } = parseTemplate(string);
  await demandPartials(operation, scope, components.partials);
  return components;
}

/** @throws GatewayError `bad_request`, param `string`, for a partial that the workspace does not reach */
export async function demandPartials(operation: Operation, scope: Scope, names: readonly string[]): Promise<void> {
  for (const text of names) {
    const reference = readPartialReference(text);
    const found = await findInReach<PartialRecord>(operation, 'prompt_partials', scope, reference.name);
    if (found === undefined || found.status !== 'active')
      throw refused(`names the partial "${text}", which is neither one of the workspace nor shared with it.`);
    if (!hasVersion(found, reference))
      throw refused(`names the partial "${text}", whose latest version is ${found.latest_version}.`);
  }
}

function hasVersion({ latest_version }: PartialRecord, { selector }: PartialReference): boolean {
  if (selector === '' || selector === 'latest') return true;
  const number = Number(selector);
  return number >= 1 && number <= latest_version;
}

function refused(why: string): GatewayError {
  return new GatewayError('bad_request', `string ${why}`, { param: 'string' });
}
